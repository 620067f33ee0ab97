/** One fire: a fleet under load and faults, then quiet, then an audit. */
import { audit, readEvidence, waitUntilQuiet } from "./audit.ts";
import { findExcess, summarise } from "./budget.ts";
import { setOnFire } from "./chaos.ts";
import { planFaults, type Targets } from "./chaos-plan.ts";
import { createCustomers } from "./customers.ts";
import { SERVICES } from "#runtime/service/service.ts";
import { startFireFleet, type FireFleet } from "./fire-fleet.ts";
import { placeOrders } from "./load.ts";
import { planOrders } from "./orders.ts";
import { startReaders } from "./readers.ts";
import { startReceivers } from "./receivers.ts";
import { openRequestLog } from "./request-log.ts";
import { seededRandom } from "./seed.ts";

export type FireOptions = {
  seed: number;
  seconds: number;
  say: (line: string) => void;
};

const CUSTOMERS = 20;
const RECEIVERS = 3;
/** The hold of a create that was cut off is released within 75 s. */
const MAX_QUIET_MS = 90_000;
/** How long a video takes the upstream; an image takes a quarter of it. */
const PACE_MS = 2_000;
/** Two slow cores run everything. */
const SLACK = 3;
/** Of all requests, those that may fail beyond the budgets, because faults overlap and their effects are told by time. */
const MAX_EXCESS = 0.01;

/** What is wrong after the fire, in sentences. */
export async function runFire({ seed, seconds, say }: FireOptions): Promise<string[]> {
  say(`seed ${seed}, ${seconds} s`);
  await using fire = await startFireFleet(PACE_MS);
  await using receivers = await startReceivers(RECEIVERS, seededRandom(seed, "receivers"));
  using log = openRequestLog();
  const customers = await createCustomers(fire.fleet, CUSTOMERS, log);
  say("the fleet is ready");

  using operator = fire.fleet.operator();
  const planned = planOrders(seconds, customers, receivers, seededRandom(seed, "orders"));
  const orders = planned.map(({ order }) => order);
  const readers = startReaders(customers, orders, seededRandom(seed, "readers"));
  const placed = placeOrders(planned, operator);
  const plan = planFaults(seededRandom(seed, "faults"), targetsOf(fire), seconds);
  const chaos = await setOnFire(fire, plan, say);
  say("the faults are over");
  await placed;
  say("every create is answered");
  await readers.stop();
  const quietMs = await waitUntilQuiet(fire, MAX_QUIET_MS);
  say(`quiet after ${quietMs} ms`);
  const excess = findExcess(log.attempts, chaos.happened, SLACK);
  for (const line of summarise(log.attempts, excess)) say(line);
  const evidence = await readEvidence(fire, customers, receivers, orders, chaos);
  const wrong = [...readers.contradictions, ...(await audit(evidence))];
  if (excess.length > MAX_EXCESS * log.attempts.length) {
    wrong.push(`${excess.length} requests failed beyond what the faults excuse`);
  }
  return wrong;
}

function targetsOf({ fleet, links }: FireFleet): Targets {
  const isReplica = (name: string) => fleet.replicas.has(name);
  return {
    replicas: SERVICES.flatMap(fleet.of),
    links: links.all().filter(({ from }) => isReplica(from)),
    nats: fleet.natsServers().map(({ name }) => name),
  };
}
