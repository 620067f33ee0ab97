/** The fixture for webhook tests: a manual clock, and a sender on a database with empty tables. */
import { Webhook } from "standardwebhooks";
import { parseCidrs } from "#runtime/address.ts";
import { randomId } from "#runtime/id.ts";
import { createLog } from "#runtime/log.ts";
import { addMs } from "#runtime/clock.ts";
import { connectPostgres, type Db } from "#runtime/postgres/connect.ts";
import { createGuardedAgent } from "../../../services/delivery/egress/guarded-agent.ts";
import { insertDisabledUrl } from "../../../services/delivery/store/disabled-urls.ts";
import { claimDeliveries } from "../../../services/delivery/store/webhook-claims.ts";
import {
  insertDelivery,
  type NewDelivery,
} from "../../../services/delivery/store/webhook-deliveries.ts";
import { masterKeys } from "../../../services/delivery/webhook/signing-secrets.ts";
import { webhookSender } from "../../../services/delivery/webhook/sender.ts";
import { newAccountId } from "../../support/account.ts";
import { testDatabase } from "../../support/database.ts";
import { manualClock } from "../../support/manual-clock.ts";
import type { Received } from "../../support/receiver.ts";
import { unobserved } from "../../support/metrics.ts";
import { forTests } from "../../support/for-tests.ts";

const START = "2026-11-21T12:00:00.000Z";

export type DeliveryDatabase = Awaited<ReturnType<typeof testDatabase>>;

/** Declares one database for all tests of a file. */
export function deliveryDatabase(): () => DeliveryDatabase {
  const database = forTests(() => testDatabase("delivery"));
  return () => database;
}

/** Of the secrets of all tests. */
export const testMasterKeys = masterKeys([Buffer.alloc(32, 1)]);

export const silentLog = createLog("test", "silent");

/** Whether one of the request's signatures is the one that an independent implementation makes with `secret`. */
export function isSignedWith(secret: string, { headers, body }: Received): boolean {
  const id = String(headers["webhook-id"]);
  const at = new Date(Number(headers["webhook-timestamp"]) * 1000);
  const expected = new Webhook(secret).sign(id, at, body.toString());
  return String(headers["webhook-signature"]).split(" ").includes(expected);
}

/** The sender runs only when a test calls it. `allow` are the CIDR blocks that it may call: loopback by default. */
export async function senderFixture(
  { url, ownerUrl }: DeliveryDatabase,
  options: { allow?: string[] } = {},
) {
  await using stack = new AsyncDisposableStack();
  const owner = connectPostgres({ url: ownerUrl, maxConnections: 1 }, "test");
  await owner`truncate delivery.webhook_deliveries, delivery.webhook_attempts, delivery.webhook_urls`;
  await owner.end({ timeout: 1 });
  const sql = connectPostgres({ url, maxConnections: 4 }, "test");
  stack.defer(() => sql.end({ timeout: 1 }));
  const agent = createGuardedAgent({ allow: parseCidrs(options.allow ?? ["127.0.0.0/8"]) });
  stack.defer(() => agent.destroy());
  const clock = manualClock(START);
  const deps = {
    sql,
    clock,
    agent,
    log: silentLog,
    masterKeys: testMasterKeys,
    random: () => 0.5,
    ...unobserved(),
  };
  const newSender = () => webhookSender(deps);
  const sender = newSender();
  const accountId = newAccountId();
  const running = stack.move();
  return {
    ...deps,
    accountId,
    newSender,
    sender,
    /** Claims due deliveries and works through them; returns how many were claimed. */
    async sendDue(by = sender): Promise<number> {
      const receivers = await by.claim(64);
      await Promise.all(receivers.map((one) => by.work(one, new AbortController().signal)));
      return receivers.flatMap(({ deliveries }) => deliveries).length;
    },
    /** Leases due deliveries without a sender. */
    claimBy: (db: Db) =>
      claimDeliveries(db, {
        now: clock.now(),
        leaseUntil: addMs(clock.now(), 60_000),
        receivers: 64,
        rows: 256,
      }),
    /** Disables a URL of this account in live mode. */
    disable: (to: string) => insertDisabledUrl(sql, { accountId, mode: "live" }, to, clock.now()),
    /** Inserts a delivery, by default of this account in live mode. */
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
        requestId: null,
        traceparent: null,
        ...change,
      };
      await insertDelivery(sql, delivery);
      return delivery;
    },
    /** A delivery's row and its attempts, oldest first. */
    async stateOf(delivery: NewDelivery) {
      const [row] = await sql`
        select status, attempts as attempt_count, next_attempt_at from delivery.webhook_deliveries
        where account_id = ${delivery.accountId} and id = ${delivery.id}`;
      const attempts = await sql`
        select number, at, status_code, error, response_body from delivery.webhook_attempts
        where account_id = ${delivery.accountId} and delivery_id = ${delivery.id} order by number`;
      return { ...row, attempts: attempts.map((attempt) => ({ ...attempt })) };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
