/** How the service answers three times the load that it can take: what is served, what is refused, and how soon. */
import { setPriority } from "node:os";
import { parseArgs } from "node:util";
import { systemClock } from "#runtime/clock.ts";
import { openAccounts, startFleetService } from "./api-service.ts";
import { measure, percentiles } from "./measure.ts";
import { residentMb } from "./processes.ts";
import { keepAlive, requestText, type KeptAlive } from "./kept-alive.ts";
import { oneProcess } from "../support/whole-service.ts";

const { values } = parseArgs({
  options: {
    /** Of the overload; half load is measured for half as long. */
    seconds: { type: "string", default: "10" },
    /** The replicas of compose.yaml through its load balancer, instead of `npm start`. */
    fleet: { type: "boolean", default: false },
  },
});
const SECONDS = Number(values.seconds);
const TIMES = 3;
/** To `npm start`; a load balancer has as many to a gateway. */
const CONNECTIONS = 2_000;
const CUSTOMERS = 10;
/** Until the code of all requests is compiled. */
const WARM_UP_SECONDS = 15;
const CAPACITY_SECONDS = 5;
const FEWEST_CALLERS = 32;
/** Twice the callers must be served so many times as much, or the capacity is reached. */
const GROWTH = 1.1;
/** What is answered later is not within the capacity. */
const SOON_MS = 1_000;
/** When the service must be itself again. */
const RECOVERY_SECONDS = 5;
const SAMPLE_EVERY_MS = 250;
/** Longer than any answer may take. */
const TIMEOUT_MS = 30_000;
const TICK_MS = 5;
const say = (text: string) => process.stdout.write(`${text}\n`);

await using service = values.fleet
  ? await startFleetService()
  : await oneProcess({ LOG_LEVEL: "warn" });
const send = sender(Number(new URL(service.url).port), values.fleet ? Infinity : CONNECTIONS);
// A sender that waits for a processor would count against the service. Only root may; the service has its own already.
if (process.getuid?.() === 0) setPriority(-10);
const keys = await openAccounts(service, CUSTOMERS);
const newest = new Map<string, string>();
let turn = 0;

/** One request: of each four, one creates a video and three read: it, the balance and a list. */
async function one(dueAt?: number): Promise<Answer> {
  const call = callOf(turn++);
  const answer = await send(call.request, dueAt);
  if (answer.status === 202) newest.set(call.key, (JSON.parse(answer.body) as { id: string }).id);
  return answer;
}

function callOf(index: number): { key: string; request: Buffer } {
  const key = keys[Math.floor(index / 4) % keys.length] ?? "";
  const id = newest.get(key);
  const Authorization = `Bearer ${key}`;
  // Shifted each round, so that two gateways that are sent to in turn get the same.
  const kind = (index + Math.floor(index / 4)) % 4;
  if (kind === 0 || id === undefined) {
    const body = JSON.stringify({ model: "alpha-2.0-mini", prompt: "a cat" });
    const headers = { Authorization, "Content-Type": "application/json" };
    const text = requestText("POST", "/v1/videos/generations", headers, body);
    return { key, request: Buffer.from(text) };
  }
  const paths = [`/videos/generations/${id}`, "/balance", "/videos/generations?limit=10"];
  const text = requestText("GET", `/v1${paths[kind - 1]}`, { Authorization });
  return { key, request: Buffer.from(text) };
}

await measure(FEWEST_CALLERS, WARM_UP_SECONDS, () => one());
const capacity = await measureCapacity();
const half = await phase("half of it", capacity / 2, SECONDS / 2);
const over = await phase(`${TIMES} times`, capacity * TIMES, SECONDS);
await systemClock.sleep(RECOVERY_SECONDS * 1_000);
const after = await phase(`half of it, ${RECOVERY_SECONDS} s later`, capacity / 2, SECONDS / 2);
say(`served under overload: ${(over.served / capacity).toFixed(2)} of the capacity`);
say(`memory under overload: ${(over.megabytes / half.megabytes).toFixed(2)} of half load's`);
say(`p99 afterwards: ${(after.p99Ms / half.p99Ms).toFixed(2)} of half load's`);

/** The most that is served soon to callers who wait for each answer. */
async function measureCapacity(): Promise<number> {
  let capacity = 0;
  for (let callers = FEWEST_CALLERS; ; callers *= 2) {
    let served = 0;
    const { p99Ms } = await measure(callers, CAPACITY_SECONDS, async () => {
      if ((await one()).status < 400) served += 1;
    });
    const perSecond = served / CAPACITY_SECONDS;
    say(
      `${callers} callers: ${Math.round(perSecond)} requests a second, p99 ${Math.round(p99Ms)} ms`,
    );
    if (p99Ms > SOON_MS) return capacity === 0 ? perSecond : capacity;
    if (perSecond < capacity * GROWTH) return Math.max(perSecond, capacity);
    capacity = perSecond;
  }
}

async function phase(name: string, rate: number, seconds: number) {
  using memory = peakMemory(service.pids);
  const answers = await sendAtRate(rate, seconds, one);
  const served = answers.filter(({ status }) => status === 200 || status === 202);
  const refused = answers.filter(
    ({ status, hasRetryAfter }) => [429, 503].includes(status) && hasRetryAfter,
  );
  const others = answers.filter((answer) => !served.includes(answer) && !refused.includes(answer));
  if (others[0]) say(`unexpected: ${JSON.stringify(others[0])}`);
  const [, p99Ms = 0] = p50AndP99(answers);
  const [servedP50, servedP99] = p50AndP99(served);
  const [, refusedP99] = p50AndP99(refused);
  const figures = [
    `${Math.round(rate)}/s`,
    `served ${served.length} (p50 ${servedP50} ms, p99 ${servedP99} ms)`,
    `refused ${refused.length} (p99 ${refusedP99} ms)`,
    `otherwise ${others.length}`,
    `p99 of all ${p99Ms} ms`,
    `memory ${Math.round(memory.megabytes())} MB`,
  ];
  say(`${name}: ${figures.join(", ")}`);
  return { served: served.length / seconds, p99Ms, megabytes: memory.megabytes() };
}

function p50AndP99(answers: readonly Answer[]): number[] {
  const all = answers.map(({ ms }) => ms);
  return percentiles(all, [0.5, 0.99]).map(Math.round);
}

/** The largest resident set of the processes together since the call. */
function peakMemory(pids: readonly number[]): Disposable & { megabytes: () => number } {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, residentMb(pids));
  }, SAMPLE_EVERY_MS);
  return { megabytes: () => peak, [Symbol.dispose]: () => clearInterval(timer) };
}

type Answer = {
  /** 0: the connection broke, or there was no answer in time. */
  status: number;
  hasRetryAfter: boolean;
  /** From the moment at which the request was due, so that a late sender counts against the service. */
  ms: number;
  body: string;
};

/**
 * Opens a connection for a request that finds none free, up to `maxConnections` as a load balancer does: beyond them
 * requests wait for one.
 */
function sender(port: number, maxConnections: number) {
  const free: KeptAlive[] = [];
  const waiting = new Set<(connection: KeptAlive) => void>();
  let opened = 0;

  const take = async (): Promise<KeptAlive> => {
    for (let connection = free.pop(); connection; connection = free.pop()) {
      if (!connection.isClosed()) return connection;
      opened -= 1;
    }
    if (opened >= maxConnections) return new Promise((resolve) => waiting.add(resolve));
    opened += 1;
    return keepAlive(port, TIMEOUT_MS);
  };
  const release = (connection: KeptAlive) => {
    const [next] = waiting;
    if (!next) return void free.push(connection);
    waiting.delete(next);
    next(connection.isClosed() ? keepAlive(port, TIMEOUT_MS) : connection);
  };

  return async (request: Buffer, dueAt = performance.now()): Promise<Answer> => {
    const connection = await take();
    const received = await connection.request(request).catch(() => undefined);
    release(connection);
    return {
      status: received?.status ?? 0,
      hasRetryAfter: received?.head.includes("\r\nretry-after: ") === true,
      ms: performance.now() - dueAt,
      body: received?.body() ?? "",
    };
  };
}

/** Sends `rate` requests a second for `seconds`, and resolves when all are answered. */
async function sendAtRate(
  rate: number,
  seconds: number,
  send: (dueAt: number) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Promise<Answer>[] = [];
  const begin = performance.now();
  while (answers.length < rate * seconds) {
    const due = Math.min(rate * seconds, ((performance.now() - begin) / 1_000) * rate);
    while (answers.length < due) answers.push(send(begin + (answers.length * 1_000) / rate));
    await systemClock.sleep(TICK_MS);
  }
  return Promise.all(answers);
}
