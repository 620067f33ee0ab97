/** Generation's dependencies for tests and benches, which say only what they need otherwise. */
import { Registry } from "prom-client";
import { createCompletionWaiters } from "#runtime/completion-waiters.ts";
import type { Bus } from "#runtime/events/bus.ts";
import { NO_TRACER } from "#runtime/tracing/tracer.ts";
import { defaultCatalogPath, openCatalog } from "../../services/generation/catalog/catalog.ts";
import type { Deps } from "../../services/generation/service.ts";
import { createMetrics } from "../../services/generation/metrics/metrics.ts";
import { createdSignal } from "../../services/generation/rpc/deps.ts";
import { batchedFind } from "../../services/generation/store/generations.ts";
import { batchedWrites } from "../../services/generation/store/writes.ts";
import { createCallbacks } from "../../services/generation/domain/callback.ts";
import { createUpstreams } from "../../services/generation/upstreams/upstreams.ts";
import type { Provider } from "../../services/generation/providers/provider.ts";
import { createPictures, inputFetcher } from "../../services/generation/worker/steps/pictures.ts";
import { createTypicalTimes } from "../../services/generation/worker/steps/typical-times.ts";
import { NO_CONFIGURED_UPSTREAMS } from "./no-upstreams.ts";

type Base = Pick<Deps, "sql" | "clock" | "log" | "billing" | "delivery"> & {
  /** Plays the simulator. */
  provider: Provider;
};

const NO_EVENTS: Bus = {
  isConnected: false,
  publish: () => {},
  listen: () => {},
  [Symbol.asyncDispose]: async () => {},
};

/** `parts` replace the defaults. */
export function generationDeps({ provider, ...base }: Base, parts: Partial<Deps> = {}): Deps {
  const { sql, clock, delivery } = base;
  const { bus = NO_EVENTS, random = Math.random } = parts;
  const metrics = createMetrics(new Registry());
  const deps: Deps = {
    ...base,
    bus,
    random,
    metrics,
    discounts: async () => new Map(),
    catalog: openCatalog(defaultCatalogPath),
    upstreams: createUpstreams(provider, "simulator", NO_CONFIGURED_UPSTREAMS),
    configuredUpstreams: NO_CONFIGURED_UPSTREAMS,
    callbacks: createCallbacks(undefined),
    signalCreated: createdSignal(bus, () => ({ wake: () => deps.wake(), isFull: () => false })),
    typicalTimes: createTypicalTimes(sql, clock),
    pictures: createPictures({ fetchInput: inputFetcher(delivery), clock, random }),
    find: batchedFind(sql),
    writes: batchedWrites(sql),
    accountConcurrency: 1_000_000,
    noteTaken: () => {},
    tracer: NO_TRACER,
    completions: createCompletionWaiters(clock),
    wake: () => {},
    deadline: new AbortController().signal,
    ...parts,
  };
  return deps;
}
