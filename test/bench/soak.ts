/** Runs the fleet of compose.yaml at half of what it can take, and reports what grows: memory, handles, latency, dead rows. */
import { parseArgs } from "node:util";
import { systemClock } from "#runtime/clock.ts";
import { startFleet } from "../support/compose/compose.ts";
import { createCustomers } from "../crash/fleet/customers.ts";
import { openRequestLog, type Attempt } from "../crash/fleet/request-log.ts";
import { percentiles } from "./measure.ts";
import { sampleFleet, type Sample } from "./soak-sample.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "20" },
    /** Creates a second; by default half of what `--callers` reach. */
    rate: { type: "string" },
    callers: { type: "string", default: "16" },
  },
});
const MINUTES = Number(values.minutes);
const PROBE_SECONDS = 15;
const CUSTOMERS = 10;
const SAMPLE_EVERY_MS = 60_000;
const READS_PER_CREATE = 3;
const say = (text: string) => process.stdout.write(`${text}\n`);

await using fleet = await startFleet();
using log = openRequestLog();
const customers = await createCustomers(fleet, CUSTOMERS, log);
let turn = 0;

/** A video, and reads of it and of the balance. */
async function work(): Promise<void> {
  const customer = customers[turn++ % customers.length];
  if (!customer) throw new Error("there are no customers");
  const client = customer.clients.live;
  const { id } = await client.createVideo({ model: "alpha-2.0-mini", prompt: "a cat" });
  for (let read = 1; read < READS_PER_CREATE; read++) await client.retrieveVideo(id);
  await client.retrieveBalance();
}

async function probe(): Promise<number> {
  const end = performance.now() + PROBE_SECONDS * 1_000;
  let done = 0;
  const caller = async () => {
    for (; performance.now() < end; done++) await work();
  };
  await Promise.all(Array.from({ length: Number(values.callers) }, caller));
  return done / PROBE_SECONDS;
}

const rate = Number(values.rate ?? (await probe()) / 2);
say(`${rate.toFixed(1)} creates a second for ${MINUTES} minutes`);
const running = new Set<Promise<void>>();
const endAt = performance.now() + MINUTES * 60_000;
const samples: Sample[] = [];
const failures: unknown[] = [];
let sampleAt = performance.now() + SAMPLE_EVERY_MS;
let seen = log.attempts.length;
for (let next = performance.now(); next < endAt; next += 1_000 / rate) {
  await systemClock.sleep(Math.max(0, next - performance.now()));
  const one = work().catch((error: unknown) => void failures.push(error));
  running.add(one);
  void one.finally(() => running.delete(one));
  if (performance.now() < sampleAt) continue;
  sampleAt += SAMPLE_EVERY_MS;
  const sample = { ...(await sampleFleet(fleet)), ...latencies(log.attempts.slice(seen)) };
  seen = log.attempts.length;
  samples.push(sample);
  say(lineOf(sample));
}
await Promise.all(running);
say(`${failures.length} of ${log.attempts.length} requests failed for good`);
const [first, last] = [samples[1] ?? samples[0], samples.at(-1)];
if (first && last) say(`growth since the second minute:\n${lineOf(last, first)}`);

function latencies(attempts: readonly Attempt[]): { p50Ms: number; p99Ms: number } {
  const all = attempts.map(({ startedAt, endedAt }) => endedAt - startedAt);
  const [p50Ms = 0, p99Ms = 0] = percentiles(all, [0.5, 0.99]);
  return { p50Ms, p99Ms };
}

function lineOf(sample: Sample, since?: Sample): string {
  const names = Object.keys(sample) as (keyof Sample)[];
  const value = (name: keyof Sample) =>
    since
      ? `×${(sample[name] / Math.max(1, since[name])).toFixed(2)}`
      : `${Math.round(sample[name])}`;
  return names.map((name) => `${name} ${value(name)}`).join("  ");
}
