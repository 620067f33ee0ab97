/** Generation's worker on a real database and a real ledger, with an upstream in memory that only takes time. */
import { setTimeout as delay } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { createClient, createRouterTransport } from "@connectrpc/connect";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { OutputSchema } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { createLog } from "#runtime/log.ts";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import type { Deps } from "../../services/generation/service.ts";
import type { Polled, Provider } from "../../services/generation/providers/provider.ts";
import { billingRoutes } from "../support/billing-deps.ts";
import { generationDeps } from "../support/generation-deps.ts";
import { memoryClient } from "../support/rpc.ts";
import type { BenchDatabase } from "./bench-database.ts";

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
  const billing = memoryClient(BillingService, billingRoutes({ sql: billingSql, clock, log }));
  const upstream = fakeUpstream(onPoll);
  const base = { sql, clock, log, billing, delivery: deliveryWithoutCopies() };
  const deps = generationDeps({ ...base, provider: upstream.provider });
  return { deps, polls: upstream.polls, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

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
