/** Measures the tasks per second of one worker and the delay of finished jobs. */
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Polled } from "../../services/generation/providers/provider.ts";
import { startWorker } from "../../services/generation/worker/worker.ts";
import { benchDatabase } from "./bench-database.ts";
import { engineFixture, type EngineFixture, fillQueue, fundedAccounts } from "./engine-fixture.ts";
import { percentiles } from "./measure.ts";

const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "5000" },
    flight: { type: "string", default: "5000" },
    /** Seconds that the upstream advises between two polls. */
    poll: { type: "string", default: "10" },
    seconds: { type: "string", default: "30" },
    /** The default of WORKER_CONCURRENCY. */
    concurrency: { type: "string", default: "128" },
    accounts: { type: "string", default: "100" },
  },
});
const concurrency = Number(values.concurrency);
const pollMs = Number(values.poll) * 1000;
const seconds = Number(values.seconds);
const DONE: Polled = {
  kind: "succeeded",
  sources: [{ url: "https://upstream.test/file", configuredOrigin: true }],
};
const say = (text: string) => process.stdout.write(`${text}\n`);

if (Number(values.tasks) > 0) await throughput(Number(values.tasks));
if (Number(values.flight) > 0) await pickup(Number(values.flight));

/** Each task takes a slot, a submit, one poll, the copy, the capture and the end. */
async function throughput(tasks: number): Promise<void> {
  await using database = await benchDatabase();
  await using engine = engineFixture(database, () => DONE);
  const { sql, billing } = engine.deps;
  await fillQueue(sql, billing, await fundedAccounts(billing, Number(values.accounts)), tasks);
  const begin = performance.now();
  const cpu = process.cpuUsage();
  await using _worker = startWorker(engine.deps, concurrency);
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
  const begin = Date.now() + pollMs;
  const doneAt = (upstreamId: string) =>
    begin + (Number(upstreamId.slice("job-".length)) / flight) * seconds * 1000;
  await using engine = engineFixture(database, (id) =>
    Date.now() >= doneAt(id) ? DONE : { kind: "running", pollAfterMs: pollMs },
  );
  const { sql, billing } = engine.deps;
  const accounts = await fundedAccounts(billing, Number(values.accounts));
  await fillQueue(sql, billing, accounts, flight);
  await toRunning(engine, pollMs);
  {
    await using _worker = startWorker(engine.deps, concurrency);
    await delay(begin + seconds * 1000 - Date.now());
    while ((await ended(engine)) < flight && Date.now() < begin + seconds * 1000 + 60_000) {
      await delay(250);
    }
  }
  const rows = await sql<{ upstreamId: string; completedAt: Date }[]>`
    select upstream_id, completed_at from generation.generations where status = 'success'`;
  const lateMs = rows.map((row) => row.completedAt.getTime() - doneAt(row.upstreamId));
  const [p50, p99] = percentiles(lateMs, [0.5, 0.99]).map(Math.round);
  say(
    `${flight} in flight, polled every ${values.poll} s, ${rows.length} ended: ` +
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
