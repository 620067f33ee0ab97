/** Measures how many slots workers assign when each upstream has a credential of its own, one worker and then many. */
import { parseArgs } from "node:util";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import { createClaimWork } from "../../services/generation/worker/claim-work.ts";
import { insertTasks } from "../support/insert-tasks.ts";
import { scriptedUpstream, scriptedUpstreams } from "../support/scripted-upstreams.ts";
import { benchDatabase } from "./bench-database.ts";
import { engineFixture } from "./engine-fixture.ts";

const { values } = parseArgs({
  options: {
    workers: { type: "string", default: "8" },
    seconds: { type: "string", default: "10" },
    /** How many slots a claim assigns at most. */
    batch: { type: "string", default: "10" },
    /** Makes Postgres take so much longer over each assignment, as a distant or busy one does. */
    slow: { type: "string", default: "50" },
  },
});
const count = Number(values.workers);
const models = Array.from({ length: count }, (_, n) => `model-${n}`);

const one = await assignedPerSecond(1);
const many = await assignedPerSecond(count);
process.stdout.write(
  `1 worker: ${Math.round(one)} slots/s; ${count} workers: ${Math.round(many)} slots/s, ${(many / one).toFixed(1)} times as many\n`,
);

async function assignedPerSecond(workers: number): Promise<number> {
  await using database = await benchDatabase();
  const owner = connectPostgres(
    { url: database.urls.generation.ownerUrl, maxConnections: 1 },
    "bench",
  );
  await fill(owner);
  await owner.end();
  await using stack = new AsyncDisposableStack();
  const claims = Array.from({ length: workers }, () => {
    const { deps } = stack.use(engineFixture(database, () => ({ kind: "gone" })));
    const upstreams = models.map((model) => {
      return scriptedUpstream(model, { credentialConcurrency: 1_000_000 });
    });
    const available = (_mode: string, model: string) =>
      upstreams.filter(({ name }) => name === model);
    return createClaimWork({
      ...deps,
      upstreams: { ...scriptedUpstreams(...upstreams), available },
    });
  });
  const beginMs = performance.now();
  const endMs = beginMs + Number(values.seconds) * 1_000;
  const assigned = await Promise.all(
    claims.map(async (claim) => {
      let rows = 0;
      while (performance.now() < endMs) rows += (await claim(2 * Number(values.batch))).length;
      return rows;
    }),
  );
  const sum = assigned.reduce((total, rows) => total + rows, 0);
  return sum / ((performance.now() - beginMs) / 1_000);
}

/** Waiting tasks of 100 accounts for each model, and a trigger that sleeps once for each assignment. */
async function fill(owner: ReturnType<typeof connectPostgres>): Promise<void> {
  await owner`
    insert into generation.generations (account_id, id, kind, mode, model, input, defaulted, tokens, attempt, status,
      created_at)
    select 'acct_' || model || '_' || n % 100, 'vgen_' || model || '_' || n, 'video', 'live', model,
      '{"prompt":"a cat"}', '{}', 1, 1, 'pending', now()
    from unnest(${models}::text[]) as model cross join generate_series(1, 5000) n`;
  await insertTasks(owner, "queue");
  await owner.unsafe(`
    create function generation.slow_down() returns trigger language plpgsql as
      $$ begin perform pg_sleep(${Number(values.slow) / 1_000}); return null; end $$;
    create trigger slow after update on generation.tasks for each statement
      execute function generation.slow_down()`);
}
