/** Generation's worker on a real database and a real ledger, with an upstream in memory that only takes time. */
import { NO_TRACER } from "#runtime/tracing/tracer.ts";
import { setTimeout as delay } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { createClient, createRouterTransport } from "@connectrpc/connect";
import { Registry } from "prom-client";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { OutputSchema } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import type { Bus } from "#runtime/events/bus.ts";
import { randomId } from "#runtime/id.ts";
import { createLog } from "#runtime/log.ts";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import { routes as billingRoutes } from "../../services/billing/routes.ts";
import { batchedMoves } from "../../services/billing/store/moves.ts";
import { createCallbacks } from "../../services/generation/upstreams/callbacks.ts";
import { defaultCatalogPath, openCatalog } from "../../services/generation/catalog/catalog.ts";
import type { Deps } from "../../services/generation/deps.ts";
import { createMetrics } from "../../services/generation/metrics/metrics.ts";
import { createUpstreams } from "../../services/generation/upstreams/index.ts";
import type { Polled, Provider } from "../../services/generation/providers/provider.ts";
import { acknowledgedCreates } from "../../services/generation/rpc/acknowledged.ts";
import { batchedFind } from "../../services/generation/store/find-generation.ts";
import { batchedWrites } from "../../services/generation/store/writes.ts";
import { createdSignal } from "../../services/generation/rpc/created-signal.ts";
import { createDurations } from "../../services/generation/worker/steps/durations.ts";
import { createPictures } from "../../services/generation/worker/pictures/pictures.ts";
import { createCompletionWaiters } from "#runtime/completion-waiters.ts";
import { NO_CONFIGURED_UPSTREAMS } from "../support/no-upstreams.ts";
import { memoryClient } from "../support/rpc.ts";
import type { BenchDatabase } from "./bench-database.ts";
import { billingMetrics } from "../support/metrics.ts";

/** The response time of a nearby upstream. */
const ROUND_TRIP_MS = 20;
/** The default of DATABASE_CONNECTIONS. */
const CONNECTIONS = 10;

export type EngineFixture = AsyncDisposable & { deps: Deps; polls: () => number };

export function engineFixture(
  database: BenchDatabase,
  onPoll: (upstreamId: string) => Polled,
): EngineFixture {
  const stack = new AsyncDisposableStack();
  const connect = (service: "billing" | "generation") => {
    const sql = connectPostgres(
      { url: database.urls[service].url, maxConnections: CONNECTIONS },
      "bench",
    );
    stack.defer(() => sql.end());
    return sql;
  };
  const [sql, billingSql] = [connect("generation"), connect("billing")];
  const clock = systemClock;
  const log = createLog("generation", "error");
  const moveTokens = batchedMoves(billingSql, clock);
  const billing = memoryClient(
    BillingService,
    billingRoutes({
      sql: billingSql,
      clock,
      newId: randomId,
      log,
      moveTokens,
      metrics: billingMetrics(),
    }),
  );
  const upstream = fakeUpstream(onPoll);
  const metrics = createMetrics(new Registry());
  const deps: Deps = {
    sql,
    bus: NO_EVENTS,
    clock,
    log,
    random: Math.random,
    billing,
    delivery: deliveryWithoutCopies(),
    discounts: async () => new Map(),
    catalog: stack.use(openCatalog(defaultCatalogPath, { clock, log, metrics })),
    upstreams: createUpstreams(upstream.provider, "simulator", NO_CONFIGURED_UPSTREAMS),
    configuredUpstreams: NO_CONFIGURED_UPSTREAMS,
    callbacks: createCallbacks(undefined),
    signalCreated: createdSignal(NO_EVENTS, () => {}),
    durations: createDurations(sql, clock),
    pictures: createPictures({ fetchInput: async () => "unreadable", clock, random: Math.random }),
    find: batchedFind(sql),
    writes: batchedWrites(sql),
    acknowledged: acknowledgedCreates(),
    accountConcurrency: 1_000_000,
    metrics,
    noteTaken: () => {},
    tracer: NO_TRACER,
    completions: createCompletionWaiters(clock),
    wake: () => {},
    deadline: new AbortController().signal,
  };
  return { deps, polls: upstream.polls, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const NO_EVENTS: Bus = {
  isConnected: false,
  publish: () => {},
  listen: () => {},
  consume: () => {},
  [Symbol.asyncDispose]: async () => {},
};

function fakeUpstream(onPoll: (upstreamId: string) => Polled) {
  let polls = 0;
  const provider: Provider = {
    submit: async ({ token }) => {
      await delay(ROUND_TRIP_MS);
      return { kind: "accepted", upstreamId: token };
    },
    find: async () => ({ kind: "unknown" }),
    poll: async (upstreamId) => {
      await delay(ROUND_TRIP_MS);
      polls++;
      return onPoll(upstreamId);
    },
    cancel: async () => false,
    check: async () => ({ ok: true }),
  };
  return { provider, polls: () => polls };
}

function deliveryWithoutCopies(): Deps["delivery"] {
  const output = create(OutputSchema, { key: "a.mp4", contentType: "video/mp4", bytes: 9n });
  return createClient(
    DeliveryService,
    createRouterTransport(({ service }) => {
      service(DeliveryService, {
        storeOutput: () => ({ output: [output] }),
        discardOutput: () => ({}),
      });
    }),
  );
}
