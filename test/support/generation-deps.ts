/** Generation's dependencies for tests and benches, which say only what they need otherwise. */
import { create } from "@bufbuild/protobuf";
import { createRouterTransport, type Transport } from "@connectrpc/connect";
import { Registry } from "prom-client";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { OutputSchema } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { createCompletionWaiters } from "#runtime/completion-waiters.ts";
import type { Bus } from "#runtime/events/bus.ts";
import { NO_TRACER } from "#runtime/tracing/tracer.ts";
import { defaultCatalogPath, openCatalog } from "../../services/generation/catalog/catalog.ts";
import type { Deps } from "../../services/generation/service.ts";
import { createMetrics } from "../../services/generation/metrics/metrics.ts";
import { createdSignal } from "../../services/generation/rpc/deps.ts";
import { batchedFinds } from "../../services/generation/store/generations.ts";
import { rowServer } from "../../services/generation/store/row-server.ts";
import { batchedWrites } from "../../services/generation/store/writes.ts";
import { createCallbacks } from "../../services/generation/domain/callback.ts";
import { createUpstreams } from "../../services/generation/upstreams/upstreams.ts";
import type { Provider } from "../../services/generation/providers/provider.ts";
import { createPictures } from "../../services/generation/worker/steps/pictures.ts";
import { createTypicalTimes } from "../../services/generation/catalog/typical-times.ts";
import type { ConfiguredUpstreams } from "../../services/generation/upstreams/open-upstreams.ts";

type Base = Pick<Deps, "sql" | "clock" | "log" | "billing" | "delivery"> & {
  /** Plays the simulator. */
  provider: Provider;
};

/** A delivery that says of each output that it is stored, and stores nothing. */
export function idleDelivery(): Transport {
  const output = create(OutputSchema, { key: "a.mp4", contentType: "video/mp4", bytes: 9n });
  return createRouterTransport(({ service }) => {
    service(DeliveryService, {
      storeOutput: () => ({ output: [output] }),
      discardOutput: () => ({}),
      acceptEnd: () => ({}),
    });
  });
}

export const NO_EVENTS: Bus = {
  isConnected: false,
  publish: () => {},
  listen: () => {},
  [Symbol.asyncDispose]: async () => {},
};

const NO_UPSTREAMS: ConfiguredUpstreams = {
  of: () => [],
  byName: () => undefined,
  all: [],
  missingCredentials: [],
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
    upstreams: createUpstreams(provider, "simulator", NO_UPSTREAMS),
    configuredUpstreams: NO_UPSTREAMS,
    callbacks: createCallbacks(undefined),
    signalCreated: createdSignal(bus, () => ({ wake: () => deps.wake(), isFull: () => false })),
    typicalTimes: createTypicalTimes(sql, clock),
    pictures: createPictures({ delivery, clock, random }),
    ...batchedFinds(sql),
    writes: batchedWrites(sql),
    rowServer: rowServer(sql),
    accountConcurrency: 1_000_000,
    tracer: NO_TRACER,
    completions: createCompletionWaiters(clock),
    wake: () => {},
    deadline: new AbortController().signal,
    ...parts,
  };
  return deps;
}
