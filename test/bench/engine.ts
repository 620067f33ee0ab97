/** Measures the tasks per second of one worker and the delay of finished jobs. */
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createClient } from "@connectrpc/connect";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { randomId } from "#runtime/id.ts";
import { createLog } from "#runtime/log.ts";
import type { Deps } from "../../services/generation/service.ts";
import type { Polled } from "../../services/generation/providers/provider.ts";
import { startWorker } from "../../services/generation/worker/worker.ts";
import { billingRoutes } from "../support/billing-deps.ts";
import { openPool } from "../support/database.ts";
import { generationDeps, idleDelivery } from "../support/generation-deps.ts";
import { insertTasks } from "../support/insert-tasks.ts";
import { memoryClient } from "../support/rpc.ts";
import { FINISHED, scriptedProvider } from "../support/scripted-provider.ts";
import { benchDatabase, type BenchDatabase } from "./bench-database.ts";
import { percentiles } from "./measure.ts";

const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "5000" },
    flight: { type: "string", default: "5000" },
    seconds: { type: "string", default: "30" },
  },
});
/** The default of WORKER_CONCURRENCY. */
const CONCURRENCY = 128;
const ACCOUNTS = 100;
/** What the upstream advises between two polls. */
const POLL_SECONDS = 10;
const POLL_MS = POLL_SECONDS * 1_000;
const seconds = Number(values.seconds);
/** The response time of a nearby upstream. */
const ROUND_TRIP_MS = 20;
/** The default of DATABASE_CONNECTIONS. */
const CONNECTIONS = 10;
const say = (text: string) => process.stdout.write(`${text}\n`);

if (Number(values.tasks) > 0) await throughput(Number(values.tasks));
if (Number(values.flight) > 0) await pickup(Number(values.flight));

/** Each task takes a slot, a submit, one poll, the copy, the capture and the end. */
async function throughput(tasks: number): Promise<void> {
  await using database = await benchDatabase();
  await using engine = engineFixture(database, () => FINISHED);
  await fillQueue(engine.deps, tasks);
  const begin = performance.now();
  const cpu = process.cpuUsage();
  await using _worker = startWorker(engine.deps, CONCURRENCY);
  while ((await ended(engine)) < tasks) await delay(100);
  const perSecond = tasks / ((performance.now() - begin) / 1000);
  const used = process.cpuUsage(cpu);
  const cpuMs = (used.user + used.system) / 1000 / tasks;
  say(
    `${tasks} tasks by one worker: ${Math.round(perSecond)} tasks/s, ${cpuMs.toFixed(2)} ms of its CPU each`,
  );
}

/** Jobs end one after the other while all others are polled. */
async function pickup(flight: number): Promise<void> {
  await using database = await benchDatabase();
  const begin = Date.now() + POLL_MS;
  const doneAt = (upstreamId: string) =>
    begin + (Number(upstreamId.slice("job-".length)) / flight) * seconds * 1000;
  await using engine = engineFixture(database, (id) =>
    Date.now() >= doneAt(id) ? FINISHED : { kind: "running", pollAfterMs: POLL_MS },
  );
  const { sql } = engine.deps;
  await fillQueue(engine.deps, flight);
  await toRunning(engine, POLL_MS);
  await using _worker = startWorker(engine.deps, CONCURRENCY);
  await delay(begin + seconds * 1000 - Date.now());
  while ((await ended(engine)) < flight && Date.now() < begin + seconds * 1000 + 60_000) {
    await delay(250);
  }
  const rows = await sql<{ upstreamId: string; completedAt: Date }[]>`
    select upstream_id, completed_at from generation.generations where status = 'success'`;
  const lateMs = rows.map((row) => row.completedAt.getTime() - doneAt(row.upstreamId));
  const [p50, p99] = percentiles(lateMs, [0.5, 0.99]).map(Math.round);
  say(
    `${flight} in flight, polled every ${POLL_SECONDS} s, ${rows.length} ended: ` +
      `p50 ${p50} ms, p99 ${p99} ms after their end (${engine.polls()} polls)`,
  );
}

async function ended({ deps }: EngineFixture): Promise<number> {
  const [row] = await deps.sql<{ count: number }[]>`
    select count(*)::int as count from generation.generations where status = 'success'`;
  return row?.count ?? 0;
}

/** Turns queued tasks into running ones whose polls are due evenly over `overMs`. */
async function toRunning({ deps }: EngineFixture, overMs: number): Promise<void> {
  await deps.sql`update generation.generations set status = 'processing', started_at = now()`;
  await deps.sql`
    update generation.tasks
    set step = 'poll', upstream = 'simulator', credential = 'simulator', upstream_model = 'simulator',
      submit_token = id, deadline_at = now() + interval '20 min', upstream_id = 'job-' || substr(id, 6)::int,
      next_step_at = now() + random() * ${overMs}::float8 * interval '1 ms'`;
}

type EngineFixture = ReturnType<typeof engineFixture>;

function engineFixture(database: BenchDatabase, onPoll: (upstreamId: string) => Polled) {
  const stack = new AsyncDisposableStack();
  const sql = stack.use(openPool(database.urls.generation.url, CONNECTIONS));
  const billingSql = stack.use(openPool(database.urls.billing.url, CONNECTIONS));
  const clock = systemClock;
  const log = createLog("generation", "error");
  const billing = memoryClient(BillingService, billingRoutes({ sql: billingSql, clock }));
  const delivery = createClient(DeliveryService, idleDelivery());
  const provider = scriptedProvider();
  provider.onSubmit = async ({ token }) => {
    await delay(ROUND_TRIP_MS);
    return { kind: "accepted", upstreamId: token };
  };
  let polls = 0;
  provider.onPoll = async (upstreamId) => {
    await delay(ROUND_TRIP_MS);
    polls++;
    return onPoll(upstreamId);
  };
  const deps = generationDeps({ sql, clock, log, billing, delivery, provider });
  return { deps, polls: () => polls, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Inserts acknowledged tasks of several accounts into the queue, each with its hold. */
async function fillQueue({ sql, billing }: Deps, count: number): Promise<void> {
  const accounts = Array.from({ length: ACCOUNTS }, () => randomId("acct"));
  for (const accountId of accounts) {
    await billing.recharge({ accountId, mode: Mode.LIVE, tokens: 1_000_000_000n });
  }
  await sql`
    insert into generation.generations (account_id, id, kind, mode, model, input, defaulted, tokens, attempt, status,
      created_at)
    select (${accounts}::text[])[1 + n % ${ACCOUNTS}], 'vgen_' || lpad(n::text, 26, '0'), 'video',
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
