/** Generation's worker on a real database and a real ledger, with an upstream in memory that only takes time. */
import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "@connectrpc/connect";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { randomId } from "#runtime/id.ts";
import { createLog } from "#runtime/log.ts";
import { connectPostgres, type Sql } from "#runtime/postgres/connect.ts";
import type { Deps } from "../../services/generation/service.ts";
import type { Polled } from "../../services/generation/providers/provider.ts";
import { billingRoutes } from "../support/billing-deps.ts";
import { generationDeps, idleDelivery } from "../support/generation-deps.ts";
import { insertTasks } from "../support/insert-tasks.ts";
import { memoryClient } from "../support/rpc.ts";
import { scriptedProvider, type ScriptedProvider } from "../support/scripted-provider.ts";
import type { BenchDatabase } from "./bench-database.ts";

/** The response time of a nearby upstream. */
const ROUND_TRIP_MS = 20;
/** The default of DATABASE_CONNECTIONS. */
const CONNECTIONS = 10;

export type EngineFixture = ReturnType<typeof engineFixture>;

export function engineFixture(database: BenchDatabase, onPoll: (upstreamId: string) => Polled) {
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
  const billing = memoryClient(BillingService, billingRoutes({ sql: billingSql, clock }));
  const upstream = fakeUpstream(onPoll);
  const base = {
    sql,
    clock,
    log,
    billing,
    delivery: createClient(DeliveryService, idleDelivery()),
  };
  const deps = generationDeps({ ...base, provider: upstream.provider });
  return { deps, polls: upstream.polls, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

function fakeUpstream(onPoll: (upstreamId: string) => Polled) {
  let polls = 0;
  const answers: Partial<ScriptedProvider> = {
    onSubmit: async ({ token }) => {
      await delay(ROUND_TRIP_MS);
      return { kind: "accepted", upstreamId: token };
    },
    onPoll: async (upstreamId) => {
      await delay(ROUND_TRIP_MS);
      polls++;
      return onPoll(upstreamId);
    },
  };
  return { provider: Object.assign(scriptedProvider(), answers), polls: () => polls };
}

export async function fundedAccounts(billing: Deps["billing"], count: number): Promise<string[]> {
  const accounts = Array.from({ length: count }, () => randomId("acct"));
  for (const accountId of accounts) {
    await billing.recharge({ accountId, mode: Mode.LIVE, tokens: 1_000_000_000n });
  }
  return accounts;
}

/** Inserts acknowledged tasks into the queue, each with its hold. */
export async function fillQueue(
  sql: Sql,
  billing: Deps["billing"],
  accounts: readonly string[],
  count: number,
): Promise<void> {
  await sql`
    insert into generation.generations (account_id, id, kind, mode, model, input, defaulted, tokens, attempt, status,
      created_at)
    select (${accounts as string[]}::text[])[1 + n % ${accounts.length}], 'vgen_' || lpad(n::text, 26, '0'), 'video',
      'live', 'alpha-2.0', '{"prompt":"a cat","duration":5,"aspect_ratio":"16:9"}', '{}', 1, 1, 'pending', now()
    from generate_series(0, ${count - 1}::int) n`;
  await insertTasks(sql, "queue");
  const rows = await sql<{ accountId: string; id: string }[]>`
    select account_id, id from generation.tasks where step = 'queue'`;
  for (let i = 0; i < rows.length; i += 500) {
    await Promise.all(
      rows.slice(i, i + 500).map(({ accountId, id: generationId }) => {
        const hold = { accountId, mode: Mode.LIVE, generationId, attempt: 1 };
        return billing.reserve({ hold, tokens: 1n });
      }),
    );
  }
}
