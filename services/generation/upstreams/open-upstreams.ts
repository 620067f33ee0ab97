/** Opens the upstreams of the upstreams file, and reloads them when the file or a key changes. */
import { readFileSync } from "node:fs";
import { asSetting } from "#runtime/env.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import { startPeriodicJobs } from "#runtime/periodic-job.ts";
import { lackOf } from "../domain/capabilities.ts";
import { fileVersion } from "#runtime/file-version.ts";
import type { Upstream, Upstreams } from "./upstreams.ts";
import type { Adapters } from "./adapters.ts";
import {
  type ConfiguredUpstream,
  type MissingCredential,
  upstreamBuilder,
} from "./build-upstreams.ts";
import { upstreamsFaults } from "./check-upstreams.ts";
import { type Circuit, createCircuit } from "./circuit.ts";
import { openSuspensions, type Suspension } from "./suspensions.ts";
import { type KeySource, keysVersion } from "./keys.ts";
import type { ObserveCall } from "./observed.ts";
import { parseUpstreams, type UpstreamsFile } from "./upstreams-file.ts";

export type UpstreamsConfig = {
  /** The path of the upstreams file (UPSTREAMS_FILE); undefined: there are no upstreams. */
  path: string | undefined;
  keys: KeySource;
};

/** The state of an upstream, for operators. */
export type UpstreamStatus = {
  upstream: ConfiguredUpstream;
  /** Set while the upstream is suspended and operators must act. */
  suspension: Suspension | undefined;
  isCircuitClosed: boolean;
};

/** The upstreams of live mode. */
export type ConfiguredUpstreams = Upstreams & {
  status: () => UpstreamStatus[];
  missingCredentials: () => readonly MissingCredential[];
};

export type UpstreamsParts = {
  clock: Clock;
  log: Log;
  adapters: Adapters;
  callbackUrl: Upstream["callbackUrl"] | undefined;
  /** True if the catalog has this model. */
  isModel: (id: string) => boolean;
  observe: ObserveCall;
  metrics: {
    upstreamSuspensions: { set: (suspensions: number) => void };
    upstreamsWithoutKey: { set: (upstreams: number) => void };
    fileRefused: { set: (labels: { file: "upstreams" }, isRefused: number) => void };
    upstreamCircuitOpen: { set: (labels: { upstream: string }, isOpen: number) => void };
  };
};

const CHECK_EVERY_MS = 1_000;
const NO_UPSTREAMS: UpstreamsFile = { credentials: {}, models: {} };

/** Throws if the file is invalid. A later file that is invalid is refused as a whole, and the previous one stays in use. */
export function openUpstreams(
  config: UpstreamsConfig,
  parts: UpstreamsParts,
): ConfiguredUpstreams & AsyncDisposable {
  const { clock, log, metrics } = parts;
  const circuits = new Map<string, Circuit>();
  const circuitOf = (name: string): Circuit => {
    const circuit =
      circuits.get(name) ??
      createCircuit(clock, (isClosed) => {
        metrics.upstreamCircuitOpen.set({ upstream: name }, isClosed ? 0 : 1);
        log.warn({ upstream: name, is_open: !isClosed }, "the circuit of an upstream changed");
      });
    circuits.set(name, circuit);
    return circuit;
  };
  const builder = upstreamBuilder({ ...parts, keys: config.keys, circuitOf });

  const load = (before: UpstreamsFile | undefined) => {
    const read = () => readUpstreams(config.path, before, parts.adapters);
    const file = before ? read() : asSetting("UPSTREAMS_FILE", read);
    const built = builder.build(file);
    metrics.upstreamsWithoutKey.set(built.missingCredentials.length);
    metrics.fileRefused.set({ file: "upstreams" }, 0);
    if (built.missingCredentials.length > 0) {
      const upstreams = built.missingCredentials.map(({ name }) => name);
      log.error({ alert: true, upstreams }, "upstreams without a key; not used");
    }
    const unknownModels = Object.keys(file.models).filter((id) => !parts.isModel(id));
    if (unknownModels.length > 0)
      log.warn({ models: unknownModels }, "upstreams of models that are not in the catalog");
    const byPriority = built.upstreams
      .filter(({ isEnabled }) => isEnabled)
      .toSorted((a, b) => a.priority - b.priority);
    return {
      file,
      ...built,
      byModel: Map.groupBy(byPriority, ({ model }) => model),
      byName: new Map(built.upstreams.map((upstream) => [upstream.name, upstream])),
    };
  };
  const version = () =>
    config.path === undefined ? "" : `${fileVersion(config.path)} ${keysVersion(config.keys)}`;
  let loadedVersion = version();
  let current = load(undefined);
  const suspensions = openSuspensions({
    clock,
    log,
    onChange: (count) => metrics.upstreamSuspensions.set(count),
  });

  const reloadIfChanged = () => {
    const now = version();
    if (now === loadedVersion) return;
    loadedVersion = now;
    try {
      current = load(current.file);
      suspensions.resumeAll();
      log.info({ upstreams: current.upstreams.length }, "upstreams file reloaded");
    } catch (error) {
      metrics.fileRefused.set({ file: "upstreams" }, 1);
      log.error(
        { reason: (error as Error).message },
        "upstreams file refused; the previous upstreams stay in use",
      );
    }
  };
  const every = { firstAfterMs: CHECK_EVERY_MS, everyMs: CHECK_EVERY_MS };
  const jobs = startPeriodicJobs(
    [{ name: "reload upstreams", ...every, run: reloadIfChanged }],
    parts,
  );

  const isCircuitClosed = ({ name }: ConfiguredUpstream) => circuitOf(name).isReady();
  const enabled = (model: string) => current.byModel.get(model) ?? [];
  return {
    available: (_mode, model) =>
      enabled(model).filter((one) => !suspensions.of(one) && isCircuitClosed(one)),
    isServed: (_mode, model) => enabled(model).length > 0,
    lackOf: (_mode, model, input) => {
      const lacks = enabled(model).map((upstream) => lackOf(upstream, input));
      return lacks.includes(undefined) ? undefined : lacks[0];
    },
    byName: (name) => current.byName.get(name),
    suspend: suspensions.suspend,
    status: () =>
      current.upstreams.map((upstream) => ({
        upstream,
        suspension: suspensions.of(upstream),
        isCircuitClosed: isCircuitClosed(upstream),
      })),
    missingCredentials: () => current.missingCredentials,
    async [Symbol.asyncDispose]() {
      await jobs[Symbol.asyncDispose]();
      await suspensions[Symbol.asyncDispose]();
    },
  };
}

function readUpstreams(
  path: string | undefined,
  before: UpstreamsFile | undefined,
  adapters: Adapters,
): UpstreamsFile {
  if (path === undefined) return NO_UPSTREAMS;
  const parsed = parseUpstreams(readFileSync(path, "utf8"));
  const faults =
    "faults" in parsed ? parsed.faults : upstreamsFaults(parsed.file, before, adapters);
  if ("faults" in parsed || faults.length > 0) throw new Error(`${path}: ${faults.join("; ")}`);
  return parsed.file;
}
