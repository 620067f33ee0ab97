/** The routes of a routes file, read again when the file or a key changes, each open while its upstream serves us. */
import { readFileSync } from "node:fs";
import type { Clock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import { startPeriodicJobs } from "#runtime/periodic-job.ts";
import type { AdapterSettings } from "../providers/shared/adapter.ts";
import type { Upstreams, Upstream } from "./index.ts";
import type { Adapters } from "./adapters.ts";
import { upstreamBuilder } from "./build-upstreams.ts";
import type { ConfiguredUpstream, MissingCredential } from "./build-upstreams.ts";
import { upstreamsFaults } from "./check-upstreams.ts";
import { inOrder } from "./choose.ts";
import { createCircuit } from "./circuit.ts";
import type { Circuit } from "./circuit.ts";
import { openSuspensions } from "./suspensions.ts";
import type { Suspension } from "./suspensions.ts";
import { fileVersion, keysVersion } from "./keys.ts";
import type { KeySource } from "./keys.ts";
import { parseUpstreams } from "./upstreams-file.ts";
import type { UpstreamsFile } from "./upstreams-file.ts";

export type UpstreamsConfig = {
  /** The routes file; undefined: there are no routes. */
  path: string | undefined;
  keys: KeySource;
};

/** What operators see of a route. */
export type UpstreamStatus = {
  upstream: ConfiguredUpstream;
  /** Set while operators have to act. */
  suspension: Suspension | undefined;
  isCircuitClosed: boolean;
};

/** The live mode's part of Providers. */
export type ConfiguredUpstreams = Upstreams & {
  status: () => UpstreamStatus[];
  missingCredentials: () => readonly MissingCredential[];
};

export type UpstreamsParts = {
  clock: Clock;
  log: Log;
  random: () => number;
  adapters: Adapters;
  fetchInput: AdapterSettings["fetchInput"];
  callbackUrl: Upstream["callbackUrl"] | undefined;
  /** Whether the catalog has this model. */
  isModel: (id: string) => boolean;
  metrics: {
    routeClosures: { set: (closures: number) => void };
    routeCircuitOpen: { set: (labels: { route: string }, isOpen: number) => void };
  };
};

const CHECK_EVERY_MS = 1_000;
const NO_UPSTREAMS: UpstreamsFile = { credentials: {}, models: {} };

/** A wrong file is an error at start; later it is refused whole, and the old one stays. */
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
        metrics.routeCircuitOpen.set({ route: name }, isClosed ? 0 : 1);
        log.warn({ route: name, is_open: !isClosed }, "a route's circuit has changed");
      });
    circuits.set(name, circuit);
    return circuit;
  };
  const builder = upstreamBuilder({ ...parts, keys: config.keys, circuitOf });

  const load = (before: UpstreamsFile | undefined) => {
    const file = readUpstreams(config.path, before, Object.keys(parts.adapters));
    const built = builder.build(file);
    if (built.keyless.length > 0) {
      const routes = built.keyless.map(({ name }) => name);
      log.error({ alert: true, routes }, "these routes have no key: left out");
    }
    const strays = Object.keys(file.models).filter((id) => !parts.isModel(id));
    if (strays.length > 0)
      log.warn({ models: strays }, "routes of models that are not in the catalog");
    return { file, ...built, byName: new Map(built.routes.map((route) => [route.name, route])) };
  };
  const version = () =>
    config.path === undefined ? "" : `${fileVersion(config.path)} ${keysVersion(config.keys)}`;
  let seen = version();
  let current = load(undefined);
  const closures = openSuspensions({
    clock,
    log,
    onChange: (open) => metrics.routeClosures.set(open),
  });

  const reloadIfChanged = () => {
    const now = version();
    if (now === seen) return;
    seen = now;
    try {
      current = load(current.file);
      closures.resumeAll();
      log.info({ routes: current.routes.length }, "routes read again");
    } catch (error) {
      log.error({ reason: (error as Error).message }, "routes refused; the old ones stay");
    }
  };
  const every = { firstAfterMs: CHECK_EVERY_MS, everyMs: CHECK_EVERY_MS };
  const jobs = startPeriodicJobs(
    [{ name: "reload upstreams", ...every, run: reloadIfChanged }],
    parts,
  );

  const enabled = (model: string) =>
    current.routes.filter((route) => route.isEnabled && route.model === model);
  return {
    available: (_mode, model) => {
      const open = enabled(model).filter(
        (route) => !closures.of(route) && circuitOf(route.name).isReady(),
      );
      return inOrder(open, parts.random);
    },
    isServed: (_mode, model) => enabled(model).length > 0,
    byName: (name) => current.byName.get(name),
    report: (route, outcome) => {
      // NOTE: what a submit says of the upstream's health is heard by the circuit it went through.
      if (outcome.kind === "closed") closures.suspend(route, outcome);
    },
    status: () =>
      current.routes.map((route) => ({
        upstream: route,
        suspension: closures.of(route),
        isCircuitClosed: circuitOf(route.name).isReady(),
      })),
    missingCredentials: () => current.keyless,
    async [Symbol.asyncDispose]() {
      await jobs[Symbol.asyncDispose]();
      await closures[Symbol.asyncDispose]();
    },
  };
}

function readUpstreams(
  path: string | undefined,
  before: UpstreamsFile | undefined,
  providers: readonly string[],
): UpstreamsFile {
  if (path === undefined) return NO_UPSTREAMS;
  const parsed = parseUpstreams(readFileSync(path, "utf8"));
  const faults =
    "faults" in parsed ? parsed.faults : upstreamsFaults(parsed.file, before, providers);
  if ("faults" in parsed || faults.length > 0) throw new Error(`${path}: ${faults.join("; ")}`);
  return parsed.file;
}
