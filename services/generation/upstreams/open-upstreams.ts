/** Opens the upstreams of the upstreams file. */
import { readFileSync } from "node:fs";
import { asSetting } from "#runtime/env.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import { lackOf } from "../domain/capabilities.ts";
import type { Upstream, Upstreams } from "./upstreams.ts";
import type { KnownProviders } from "./known-providers.ts";
import {
  type ConfiguredUpstream,
  type MissingCredential,
  buildUpstreams,
} from "./build-upstreams.ts";
import { upstreamsFaults } from "./check-upstreams.ts";
import { type Circuit, createCircuit } from "./circuit.ts";
import { openSuspensions, type Suspension } from "./suspensions.ts";
import type { KeySource } from "./keys.ts";
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
  knownProviders: KnownProviders;
  callbackUrl: Upstream["callbackUrl"] | undefined;
  /** True if the catalog has this model. */
  isModel: (id: string) => boolean;
  observe: ObserveCall;
  metrics: {
    upstreamSuspensions: { set: (suspensions: number) => void };
    upstreamsWithoutKey: { set: (upstreams: number) => void };
    upstreamCircuitOpen: { set: (labels: { upstream: string }, isOpen: number) => void };
  };
};

const NO_UPSTREAMS: UpstreamsFile = { credentials: {}, models: {} };

/** Throws if the file is invalid. */
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
  const file = asSetting("UPSTREAMS_FILE", () => readUpstreams(config.path, parts.knownProviders));
  const { upstreams, missingCredentials } = buildUpstreams(file, {
    ...parts,
    keys: config.keys,
    circuitOf,
  });
  metrics.upstreamsWithoutKey.set(missingCredentials.length);
  if (missingCredentials.length > 0) {
    const names = missingCredentials.map(({ name }) => name);
    log.error({ alert: true, upstreams: names }, "upstreams without a key; not used");
  }
  const unknownModels = Object.keys(file.models).filter((id) => !parts.isModel(id));
  if (unknownModels.length > 0)
    log.warn({ models: unknownModels }, "upstreams of models that are not in the catalog");
  const byPriority = upstreams
    .filter(({ isEnabled }) => isEnabled)
    .toSorted((a, b) => a.priority - b.priority);
  const byModel = Map.groupBy(byPriority, ({ model }) => model);
  const byName = new Map(upstreams.map((upstream) => [upstream.name, upstream]));
  const suspensions = openSuspensions({
    clock,
    log,
    onChange: (count) => metrics.upstreamSuspensions.set(count),
  });

  const isCircuitClosed = ({ name }: ConfiguredUpstream) => circuitOf(name).isReady();
  const enabled = (model: string) => byModel.get(model) ?? [];
  return {
    available: (_mode, model) =>
      enabled(model).filter((one) => !suspensions.of(one) && isCircuitClosed(one)),
    isServed: (_mode, model) => enabled(model).length > 0,
    lackOf: (_mode, model, input) => {
      const lacks = enabled(model).map((upstream) => lackOf(upstream, input));
      return lacks.includes(undefined) ? undefined : lacks[0];
    },
    byName: (name) => byName.get(name),
    suspend: suspensions.suspend,
    status: () =>
      upstreams.map((upstream) => ({
        upstream,
        suspension: suspensions.of(upstream),
        isCircuitClosed: isCircuitClosed(upstream),
      })),
    missingCredentials: () => missingCredentials,
    [Symbol.asyncDispose]: () => suspensions[Symbol.asyncDispose](),
  };
}

function readUpstreams(path: string | undefined, knownProviders: KnownProviders): UpstreamsFile {
  if (path === undefined) return NO_UPSTREAMS;
  const parsed = parseUpstreams(readFileSync(path, "utf8"));
  const faults = "faults" in parsed ? parsed.faults : upstreamsFaults(parsed.file, knownProviders);
  if ("faults" in parsed || faults.length > 0) throw new Error(`${path}: ${faults.join("; ")}`);
  return parsed.file;
}
