/** The fixture for webhook tests: a manual clock, and a sender and the RPCs on a database with empty tables. */
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { parseCidrs } from "#runtime/address.ts";
import { randomId } from "#runtime/id.ts";
import { addMs } from "#runtime/clock.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import type { ClaimedDelivery } from "../../../services/delivery/domain/delivery.ts";
import { createGuardedAgent } from "../../../services/delivery/egress/guarded-agent.ts";
import { insertDisabledUrl } from "../../../services/delivery/store/disabled-urls.ts";
import { claimDeliveries } from "../../../services/delivery/store/webhook-claims.ts";
import {
  insertDelivery,
  type NewDelivery,
} from "../../../services/delivery/store/webhook-deliveries.ts";
import { webhookSender } from "../../../services/delivery/webhook/sender.ts";
import { newAccountId } from "../../support/account.ts";
import { connectedDatabase } from "../../support/database.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { startReceiver, type Received, type Replies } from "../../support/receiver.ts";
import { unobserved } from "../../support/metrics.ts";
import { rpcOf, silentLog, testDeps, testMasterKeys } from "../test-deps.ts";
import { forTests } from "../../support/for-tests.ts";

const START = "2026-11-21T12:00:00.000Z";

/** Declares one database for all tests of a file; each test finds what is returned as new, and its tables empty. */
export function webhookFixture() {
  const database = forTests(() => connectedDatabase("delivery"));
  const fixture = {} as Awaited<ReturnType<typeof open>>;
  beforeEach(async () => void Object.assign(fixture, await open(database)));
  afterEach(() => fixture[Symbol.asyncDispose]());
  return fixture;
}

export const repeated = <T>(times: number, one: T): T[] => Array.from({ length: times }, () => one);

/** Whether one of the request's signatures is the one that an independent implementation makes with `secret`. */
export function isSignedWith(secret: string, { headers, body }: Received): boolean {
  const id = String(headers["webhook-id"]);
  const at = new Date(Number(headers["webhook-timestamp"]) * 1000);
  const expected = new Webhook(secret).sign(id, at, body.toString());
  return String(headers["webhook-signature"]).split(" ").includes(expected);
}

/** The sender runs only when a test calls it. The RPC shortcuts act for the account in live mode. */
async function open({
  sql,
  owner: schemaOwner,
  url,
}: Awaited<ReturnType<typeof connectedDatabase>>) {
  await schemaOwner`truncate delivery.webhook_deliveries, delivery.webhook_attempts, delivery.webhook_urls`;
  const loopback = parseCidrs(["127.0.0.0/8"]);
  let isLoopbackAllowed = true;
  const allowAddress: typeof loopback = (ip) => isLoopbackAllowed && loopback(ip);
  const cleanup = new AsyncDisposableStack();
  const agent = createGuardedAgent({ allow: allowAddress });
  cleanup.defer(() => agent.destroy());
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
  const owner = { accountId, mode: Mode.LIVE };
  const seen = { wakes: 0 };
  const wakeSender = () => void (seen.wakes += 1);
  const rpc = rpcOf(testDeps({ ...deps, allowAddress, wakeSender }));
  /** Claims due deliveries and works through them; returns how many were claimed. */
  const sendDue = async (by = sender): Promise<number> => {
    const receivers = await by.claim(64);
    await Promise.all(receivers.map((one) => by.work(one, new AbortController().signal)));
    return receivers.flatMap(({ deliveries }) => deliveries).length;
  };
  /** Starts a receiver that answers so, and then with 200, until the end of the test. */
  const receiver = async (...replies: Replies) => cleanup.use(await startReceiver(...replies));
  /** Inserts a delivery, by default of this account in live mode. */
  const deliver = async (to: string, change: Partial<NewDelivery> = {}): Promise<NewDelivery> => {
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
  };
  return {
    ...deps,
    url,
    /** Connected as the owner of the schema. */
    schemaOwner,
    accountId,
    owner,
    rpc,
    /** Counts the signals to the sender. */
    seen,
    /** Only public addresses may be called from then on. */
    forbidLoopback: () => void (isLoopbackAllowed = false),
    list: (change: object = {}) => rpc.listDeliveries({ ...owner, limit: 100, ...change }),
    get: async (deliveryId: string, change: object = {}) =>
      (await rpc.getDelivery({ ...owner, deliveryId, ...change })).delivery,
    redeliver: async (deliveryId: string, change: object = {}) =>
      (await rpc.redeliver({ ...owner, deliveryId, ...change })).delivery,
    newSender,
    sender,
    /** The receiver with the longest due delivery, claimed by the sender. */
    async claimOne() {
      const [claimed] = await sender.claim(64);
      if (!claimed) throw new Error("nothing was claimed");
      return claimed;
    },
    receiver,
    deliver,
    sendDue,
    /** A delivery to a receiver that answers so, after its first attempt. */
    async sent(...replies: Replies) {
      const to = await receiver(...replies);
      const made = await deliver(to.url);
      await sendDue();
      return { ...made, receiver: to };
    },
    /** Leases due deliveries without a sender. */
    claimBy: (db: Db) =>
      claimDeliveries(db, {
        now: clock.now(),
        leaseUntil: addMs(clock.now(), 60_000),
        receivers: 64,
        rows: 256,
      }),
    /** What a sender records of a delivery that arrived. */
    arrived: (claimed: ClaimedDelivery) => ({
      claimed,
      attempt: { at: clock.now(), durationMs: 1, statusCode: 200 },
      outcome: { status: "delivered" as const },
    }),
    /** Disables a URL of this account in live mode. */
    disable: (to: string) => insertDisabledUrl(sql, { accountId, mode: "live" }, to, clock.now()),
    /** How many deliveries have this status. */
    countOf: async (status: string) =>
      (await sql`select from delivery.webhook_deliveries where status = ${status}`).length,
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
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  };
}
