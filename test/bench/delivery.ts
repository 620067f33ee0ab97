/** Measures the delays of webhooks to a healthy host beside a dead one. */
import { parseArgs } from "node:util";
import { parseCidrs } from "#runtime/address.ts";
import { systemClock } from "#runtime/clock.ts";
import { startDueLoop } from "#runtime/loops.ts";
import { randomId } from "#runtime/id.ts";
import { createLog } from "#runtime/log.ts";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import { createGuardedAgent } from "../../services/delivery/egress/guarded-agent.ts";
import { insertDelivery } from "../../services/delivery/store/webhook-deliveries.ts";
import { masterKeys, signingSecrets } from "../../services/delivery/webhook/signing-secrets.ts";
import { webhookSender } from "../../services/delivery/webhook/sender.ts";
import { startChild } from "./api-children.ts";
import { benchDatabase } from "./bench-database.ts";
import { percentiles } from "./measure.ts";
import { unobserved } from "../support/metrics.ts";

const { values } = parseArgs({
  options: {
    /** Webhooks queued for the dead host. */
    stuck: { type: "string", default: "10000" },
    healthy: { type: "string", default: "500" },
  },
});
const BODY = Buffer.from(
  JSON.stringify({ type: "webhook.test", data: { text: "x".repeat(1_000) } }),
);
const CONNECTIONS = 8;
const say = (text: string) => process.stdout.write(text);

await using stack = new AsyncDisposableStack();
const database = stack.use(await benchDatabase());
const receivers = stack.use(startChild("delivery-receivers.ts"));
const ports = await receivers.message<{ healthy: number; dead: number }>();

const sql = connectPostgres(
  { url: database.urls.delivery.url, maxConnections: CONNECTIONS },
  "bench",
);
stack.defer(() => sql.end());
const allow = parseCidrs(["127.0.0.0/8"]);
const deps = {
  sql,
  clock: systemClock,
  log: createLog("bench", "silent"),
  masterKeys: masterKeys([Buffer.alloc(32, 1)]),
  random: Math.random,
};
const accountId = randomId("acct");
await signingSecrets(deps, { accountId, mode: "live" });
await besideDeadHost();

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

async function fill(count: number, host: string): Promise<void> {
  const ids = Array.from({ length: count }, () => randomId("whd"));
  await sql`
    insert into delivery.webhook_deliveries (account_id, id, mode, event_id, type, url, host, body, created_at, status,
      next_attempt_at)
    select ${accountId}, id, 'live', 'evt_' || substr(id, 5), 'webhook.test', ${`http://${host}/hook`}, ${host},
      ${BODY}, now(), 'pending', now()
    from unnest(${ids}::text[]) as one (id)`;
}

/** The time from the commit of a webhook to its arrival, while attempts at a dead host hang and its queue is long. */
async function besideDeadHost(): Promise<void> {
  await fill(Number(values.stuck), `127.0.0.1:${ports.dead}`);
  await using sender = startSender();
  await systemClock.sleep(500);
  const host = `127.0.0.1:${ports.healthy}`;
  const waits: number[] = [];
  for (let i = 0; i < Number(values.healthy); i++) {
    const arrived = receivers.message();
    const begin = performance.now();
    await insertDelivery(sql, {
      accountId,
      id: randomId("whd"),
      mode: "live",
      eventId: randomId("evt"),
      type: "webhook.test",
      generationId: null,
      url: `http://${host}/reported`,
      host,
      body: BODY,
      at: systemClock.now(),
      requestId: null,
      traceparent: null,
    });
    sender.wake();
    await arrived;
    waits.push(performance.now() - begin);
  }
  const [p50, p99, most] = percentiles(waits, [0.5, 0.99, 0.999]).map((ms) => ms.toFixed(1));
  say(`a healthy host beside ${values.stuck} stuck for a dead host: `);
  say(`p50 ${p50} ms, p99 ${p99} ms, most ${most} ms\n`);
}
