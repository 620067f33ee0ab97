/** What the webhook tests share: a clock that stands still, a receiver, a database with a sender on it. */
import { Webhook } from "standardwebhooks";
import { parseCidrs } from "#runtime/address.ts";
import { randomId } from "#runtime/id.ts";
import { createLog } from "#runtime/log.ts";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import { createGuardedAgent } from "../../../services/delivery/egress/guarded-agent.ts";
import { insertDelivery } from "../../../services/delivery/store/webhook-deliveries.ts";
import type { NewDelivery } from "../../../services/delivery/store/webhook-deliveries.ts";
import { secretBox } from "../../../services/delivery/webhook/secret-box.ts";
import { webhookSender } from "../../../services/delivery/webhook/sender.ts";
import { newAccountId } from "../../support/account.ts";
import type { testDatabase } from "../../support/database.ts";
import { manualClock } from "../../support/manual-clock.ts";
import type { Received } from "../../support/receiver.ts";

const START = "2026-11-21T12:00:00.000Z";

/** Encrypts the secrets of every test. */
export const testBox = secretBox([Buffer.alloc(32, 1)]);

export const quiet = createLog("test", "silent");

/** Whether one of the signatures is what an independent implementation signs with `secret`. */
export function isSignedWith(secret: string, { headers, body }: Received): boolean {
  const id = String(headers["webhook-id"]);
  const at = new Date(Number(headers["webhook-timestamp"]) * 1000);
  const expected = new Webhook(secret).sign(id, at, body.toString());
  return String(headers["webhook-signature"]).split(" ").includes(expected);
}

/** Empty tables, a clock, and a sender that works when it is asked to. */
export async function senderBench(
  { url, ownerUrl }: Awaited<ReturnType<typeof testDatabase>>,
  options: { allow?: string[] } = {},
) {
  await using stack = new AsyncDisposableStack();
  const owner = connectPostgres({ url: ownerUrl, maxConnections: 1 }, "test");
  await owner`truncate delivery.webhook_deliveries, delivery.webhook_queue, delivery.webhook_ends,
    delivery.webhook_attempts, delivery.disabled_urls, delivery.failing_urls`;
  await owner.end({ timeout: 1 });
  const sql = connectPostgres({ url, maxConnections: 4 }, "test");
  stack.defer(() => sql.end({ timeout: 1 }));
  const agent = createGuardedAgent({ allow: parseCidrs(options.allow ?? ["127.0.0.0/8"]) });
  stack.defer(() => agent.destroy());
  const clock = manualClock(START);
  const deps = { sql, clock, agent, log: quiet, secretBox: testBox, random: () => 0.5 };
  const newSender = () => webhookSender(deps);
  const sender = newSender();
  const accountId = newAccountId();
  const running = stack.move();
  return {
    ...deps,
    accountId,
    newSender,
    sender,
    /** Claims what is due and tries it; the number of deliveries that were claimed. */
    async sendDue(by = sender): Promise<number> {
      const lanes = await by.claim(64);
      await Promise.all(lanes.map((lane) => by.work(lane, new AbortController().signal)));
      return lanes.flatMap(({ deliveries }) => deliveries).length;
    },
    /** Commits a delivery of this account in live mode. */
    async deliver(to: string, change: Partial<NewDelivery> = {}): Promise<NewDelivery> {
      const delivery: NewDelivery = {
        accountId,
        id: randomId("whd"),
        mode: "live",
        eventId: randomId("evt"),
        type: "video.generation.completed",
        generationId: randomId("vgen"),
        url: to,
        host: new URL(to).host,
        body: Buffer.from('{"type":"video.generation.completed"}'),
        at: clock.now(),
        ...change,
      };
      await insertDelivery(sql, delivery);
      return delivery;
    },
    /** A delivery's row and its attempts, the first first. */
    async stateOf(delivery: NewDelivery) {
      const [row] = await sql`
        select 'pending' as status, attempt_count, next_attempt_at from delivery.webhook_queue
        where account_id = ${delivery.accountId} and delivery_id = ${delivery.id}
        union all
        select status, attempt_count, null from delivery.webhook_ends
        where account_id = ${delivery.accountId} and delivery_id = ${delivery.id}`;
      const attempts = await sql`
        select number, at, status_code, error, response_body from delivery.webhook_attempts
        where account_id = ${delivery.accountId} and delivery_id = ${delivery.id} order by number`;
      return { ...row, attempts: attempts.map((attempt) => ({ ...attempt })) };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
