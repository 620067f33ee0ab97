/** Measures webhooks per second beside bare requests, and delays at a healthy host beside a dead one. */
import { parseArgs } from "node:util";
import { Agent, request } from "undici";
import { parseCidrs } from "#runtime/address.ts";
import { systemClock } from "#runtime/clock.ts";
import { startDueLoop } from "#runtime/loops.ts";
import { randomId } from "#runtime/id.ts";
import { createLog } from "#runtime/log.ts";
import { createGuardedAgent } from "../../services/delivery/egress/guarded-agent.ts";
import { masterKeys, signingSecrets } from "../../services/delivery/webhook/signing-secrets.ts";
import { webhookSender } from "../../services/delivery/webhook/sender.ts";
import { startChild } from "./api-children.ts";
import { benchDatabase } from "./bench-database.ts";
import { measure, percentiles } from "./measure.ts";
import { openPool } from "../support/database.ts";
import { unobserved } from "../support/metrics.ts";

const { values } = parseArgs({
  options: { deliveries: { type: "string", default: "20000" } },
});
const DELIVERIES = Number(values.deliveries);
const HOSTS = 1_000;
/** Webhooks queued for the dead host. */
const STUCK = 10_000;
const HEALTHY = 500;
const BODY = Buffer.from(
  JSON.stringify({ type: "webhook.test", data: { text: "x".repeat(1_000) } }),
);
const CONNECTIONS = 8;
const TURNS = 5;
const BARE_REQUEST_SECONDS = 1;
type Turn = { count: number; seconds: number };
const say = (text: string) => process.stdout.write(text);

await using stack = new AsyncDisposableStack();
const database = stack.use(await benchDatabase());
const receivers = stack.use(startChild("delivery-receivers.ts"));
const ports = await receivers.message<{ healthy: number; dead: number }>();

const sql = stack.use(openPool(database.urls.delivery.url, CONNECTIONS));
const allow = parseCidrs(["127.0.0.0/8"]);
const deps = {
  sql,
  clock: systemClock,
  log: createLog("bench", "silent"),
  masterKeys: masterKeys([Buffer.alloc(32, 1)]),
  random: Math.random,
};
/** Enough that the limit of one account does not limit the sender. */
const accountIds = Array.from({ length: 16 }, () => randomId("acct"));
for (const accountId of accountIds) await signingSecrets(deps, { accountId, mode: "live" });
const [accountId = ""] = accountIds;

const hostOf = (index: number) => `127.${1 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
for (const hosts of [1, HOSTS]) await compareWithBareRequests(hosts);
await besideDeadHost();

/** Measures both in turns, so that other load of the machine affects both equally. */
async function compareWithBareRequests(hosts: number): Promise<void> {
  const callers = Math.min(4 * hosts, 256);
  const bare: Turn[] = [];
  const webhooks: Turn[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    bare.push(await sendBareRequests(hosts, callers));
    const hostFor = (n: number) => `${hostOf(n % hosts)}:${ports.healthy}`;
    const accountFor = (n: number) => accountIds[(n % hosts) % accountIds.length] ?? "";
    await fill(DELIVERIES / TURNS, hostFor, accountFor);
    webhooks.push(await drained());
  }
  const [bareRate, webhookRate] = [perSecond(bare), perSecond(webhooks)];
  const bareName = `bare requests, ${hosts} hosts, ${callers} at once`;
  say(`${bareName.padEnd(52)}${Math.round(bareRate)}/s\n`);
  say(`${`webhooks, ${hosts} hosts`.padEnd(52)}${Math.round(webhookRate)}/s  `);
  say(`${(webhookRate / bareRate).toFixed(2)} x bare\n`);
}

function perSecond(turns: readonly Turn[]): number {
  const sum = (of: (turn: Turn) => number) => turns.reduce((all, turn) => all + of(turn), 0);
  return sum(({ count }) => count) / sum(({ seconds }) => seconds);
}

/** The limit of the machine: the same bytes and concurrency as the sender. */
async function sendBareRequests(hosts: number, callers: number): Promise<Turn> {
  const agent = new Agent();
  let count = 0;
  const begin = performance.now();
  await measure(callers, BARE_REQUEST_SECONDS, async () => {
    const url = `http://${hostOf(count++ % hosts)}:${ports.healthy}/hook`;
    const headers = { "content-type": "application/json" };
    const { body } = await request(url, { dispatcher: agent, method: "POST", body: BODY, headers });
    await body.dump();
  });
  const seconds = (performance.now() - begin) / 1000;
  await agent.destroy();
  return { count, seconds };
}

/** Runs the sender until nothing is pending. */
async function drained(): Promise<Turn> {
  const begin = performance.now();
  await using _sender = startSender();
  const pending = () => sql`
    select from delivery.webhook_deliveries where status = 'pending' limit 1`;
  while ((await pending()).length > 0) await systemClock.sleep(20);
  return { count: DELIVERIES / TURNS, seconds: (performance.now() - begin) / 1000 };
}

function startSender() {
  const agent = createGuardedAgent({ allow });
  const loop = startDueLoop(webhookSender({ ...deps, agent, ...unobserved() }), deps);
  return {
    wake: loop.wake,
    async [Symbol.asyncDispose]() {
      const stopped = loop[Symbol.asyncDispose]();
      await agent.destroy();
      await stopped;
    },
  };
}

/** Makes so many webhooks due, to the path `/hook` unless `path` says otherwise. */
async function fill(
  count: number,
  hostFor: (n: number) => string,
  accountFor: (n: number) => string = () => accountId,
  path = "hook",
): Promise<void> {
  const hosts = Array.from({ length: count }, (_, n) => hostFor(n));
  const accounts = hosts.map((_, n) => accountFor(n));
  const ids = hosts.map(() => randomId("whd"));
  await sql`
    insert into delivery.webhook_deliveries (account_id, id, mode, event_id, type, url, host, body, created_at, status,
      next_attempt_at)
    select account_id, id, 'live', 'evt_' || substr(id, 5), 'webhook.test', 'http://' || host || '/' || ${path}, host,
      ${BODY}, now(), 'pending', now()
    from unnest(${accounts}::text[], ${ids}::text[], ${hosts}::text[]) as one (account_id, id, host)`;
}

/** The time from the commit of a webhook to its arrival, while attempts at a dead host hang and its queue is long. */
async function besideDeadHost(): Promise<void> {
  await fill(STUCK, () => `127.0.0.1:${ports.dead}`);
  await using sender = startSender();
  await systemClock.sleep(500);
  const waits: number[] = [];
  for (let i = 0; i < HEALTHY; i++) {
    const arrived = receivers.message();
    const begin = performance.now();
    await fill(1, () => `127.0.0.1:${ports.healthy}`, undefined, "reported");
    sender.wake();
    await arrived;
    waits.push(performance.now() - begin);
  }
  const [p50, p99, most] = percentiles(waits, [0.5, 0.99, 0.999]).map((ms) => ms.toFixed(1));
  say(`a healthy host beside ${STUCK} stuck for a dead host: `);
  say(`p50 ${p50} ms, p99 ${p99} ms, most ${most} ms\n`);
}
