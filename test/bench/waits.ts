/** Measures what creates wait for in Postgres where two of each service run, by samples of its sessions. */
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import postgres from "postgres";
import { startFleet } from "../support/compose/compose.ts";
import { VIDEO } from "./api-rows.ts";
import { openAccounts } from "./api-service.ts";
import { measure } from "./measure.ts";
import { sender } from "./open-load.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "15" },
    callers: { type: "string", default: "32" },
    accounts: { type: "string", default: "20" },
  },
});
const CALLERS = Number(values.callers);
const SECONDS = Number(values.seconds);
const WARM_UP_SECONDS = 5;
const SAMPLE_EVERY_MS = 10;
const SHOWN = 12;

type Wait = { event: string; sessions: number };

await using fleet = await startFleet();
const keys = await openAccounts(fleet, Number(values.accounts));
const http = sender(Number(new URL(fleet.url).port), CALLERS);
let created = 0;
const create = async (caller: number) => {
  const key = keys[caller % keys.length] ?? "";
  const call = { method: "POST", path: "/videos/generations", key, body: VIDEO } as const;
  const { status, body } = await http.send(call);
  if (status === 202) created += 1;
  else if (status !== 503) throw new Error(body);
};
await measure(CALLERS, WARM_UP_SECONDS, create);

const sql = postgres(fleet.postgres.superuserUrl(), { max: 1 });
const sums = new Map<string, number>();
let samples = 0;
const end = new AbortController();
const sampled = sample();
created = 0;
await measure(CALLERS, SECONDS, create);
end.abort();
await sampled;
await sql.end();

const total = [...sums.values()].reduce((sum, count) => sum + count, 0);
process.stdout.write(
  `${Math.round(created / SECONDS)} creates a second, ${(total / samples).toFixed(1)} sessions at work; of their time:\n`,
);
for (const [event, count] of [...sums].toSorted(([, a], [, b]) => b - a).slice(0, SHOWN)) {
  process.stdout.write(`${((100 * count) / total).toFixed(1).padStart(6)} %  ${event}\n`);
}

async function sample(): Promise<void> {
  while (!end.signal.aborted) {
    const waits = await sql<Wait[]>`
      select coalesce(wait_event_type || ' ' || wait_event, 'running') as event, count(*)::int as sessions
      from pg_stat_activity
      where datname = 'media' and state <> 'idle' and coalesce(wait_event, '') <> 'ClientRead'
      group by 1`;
    samples += 1;
    for (const { event, sessions } of waits) sums.set(event, (sums.get(event) ?? 0) + sessions);
    await delay(SAMPLE_EVERY_MS);
  }
}
