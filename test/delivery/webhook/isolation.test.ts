/** Isolation of receivers: the backlog of one does not delay another, in one process or in several. */
import { addMs, systemClock } from "#runtime/clock.ts";
import { startDueLoop } from "#runtime/loops.ts";
import type { Transaction } from "#runtime/postgres/connect.ts";
import {
  recordAttemptsIfLeased,
  releaseIfLeased,
} from "../../../services/delivery/store/webhook-claims.ts";
import { webhookSender } from "../../../services/delivery/webhook/sender.ts";
import { openPool } from "../../support/database.ts";
import { newAccountId } from "../../support/account.ts";
import { startHttp } from "../../support/http-server.ts";
import { rowsRead } from "../../support/rows-read.ts";
import { racing } from "../../support/waiting-sessions.ts";
import { webhookFixture } from "./webhook-fixture.ts";
import { silentLog } from "../test-deps.ts";
import { unobserved } from "../../support/metrics.ts";
import { isLong } from "../../support/test-size.ts";

/** TEST_SIZE=long and the benchmark run the documented sizes. */
const HEALTHY = isLong ? 200 : 10;
const TARPITS = isLong ? 5_000 : 64;
/** A busy machine keeps no second; who waited for an attempt that hangs would wait its 15 s. */
const SOON_MS = isLong ? 1_000 : 12_000;
const fixture = webhookFixture();

type Receivers = Awaited<ReturnType<typeof fixture.sender.claim>>;
const hostsOf = (receivers: Receivers) =>
  receivers.map(({ deliveries }) => deliveries[0]?.host ?? "").toSorted();
const byAccount = (receivers: Receivers) =>
  Map.groupBy(receivers, ({ deliveries }) => deliveries[0]?.accountId);

/** Inserts a webhook for each of `hosts`; of those of one host each is due a second earlier than the one before. */
async function queue(hosts: readonly string[], accountId = fixture.accountId): Promise<void> {
  const { schemaOwner, clock } = fixture;
  await schemaOwner`
    insert into delivery.webhook_deliveries (account_id, id, mode, event_id, type, url, host, body, created_at, status,
      next_attempt_at)
    select ${accountId}, 'whd_' || host || n, 'live', 'evt_' || host || n, 't', 'http://' || host || '/', host, '', due,
      'pending', due
    from (select host, row_number() over (partition by host) as n from unnest(${hosts as string[]}::text[]) host) one,
      lateral (select ${clock.now()}::timestamptz - n * interval '1 second' as due) at`;
}

const backlog = (host: string, count: number) => queue(Array.from({ length: count }, () => host));

/** Inserts one webhook for each of `count` hosts of an account, with addresses that begin with 127 and `octet`. */
function manyHosts(count: number, { port = 9, octet = 3, accountId = fixture.accountId } = {}) {
  const hostOf = (n: number) => `127.${octet}.${n >>> 8}.${n & 255}:${port}`;
  return queue(
    Array.from({ length: count }, (_, index) => hostOf(index + 1)),
    accountId,
  );
}

describe("one host", () => {
  it("is claimed by one process at a time, and does not block other hosts", async () => {
    await backlog("127.0.1.1", 300);
    await fixture.deliver("http://127.0.1.2/healthy");
    const claims = await Promise.all([1, 2, 3].map(() => fixture.newSender().claim(64)));
    expect(hostsOf(claims.flat())).toEqual(["127.0.1.1", "127.0.1.2"]);
    expect(await fixture.newSender().claim(64)).toEqual([]);
    fixture.clock.advance(60_000);
    expect(hostsOf(await fixture.newSender().claim(64))).toHaveLength(2);
  });

  it("is not claimed twice if two claims overlap and a longer due webhook is inserted in between", async () => {
    await backlog("127.0.1.1", 10);
    const claims = async (tx: Transaction) => {
      expect(await fixture.claimBy(tx)).toHaveLength(10);
      await fixture.deliver("http://127.0.1.1/", { at: addMs(fixture.clock.now(), -3_600_000) });
    };
    expect(await racing(fixture.sql, claims, () => fixture.newSender().claim(64))).toEqual([]);
  });

  it("has four attempts in flight at most, and all of its deliveries are sent", async () => {
    const answers = Array.from({ length: 40 }, () => Promise.withResolvers<number>());
    const receiver = await fixture.receiver(...answers.map(({ promise }) => promise));
    for (let i = 0; i < 40; i++) await fixture.deliver(receiver.url);
    const sending = fixture.sendDue();
    for (let round = 1; round <= 10; round++) {
      await expect.poll(() => receiver.received.length).toBe(4 * round);
      for (const { resolve } of answers.splice(0, 4)) resolve(200);
    }
    expect(await sending).toBe(40);
    expect(await fixture.sendDue()).toBe(0);
  });

  it("gets its unsent deliveries back when the sender stops, and when its lease nears its end", async () => {
    const receiver = await fixture.receiver();
    for (let i = 0; i < 40; i++) await fixture.deliver(receiver.url);
    await fixture.sender.work(await fixture.claimOne(), AbortSignal.abort());
    const second = await fixture.claimOne();
    fixture.clock.advance(40_001);
    await fixture.sender.work(second, new AbortController().signal);
    expect(receiver.received).toEqual([]);
    expect(await fixture.sendDue(fixture.newSender())).toBe(40);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(40);
  });
});

/** Inserts webhooks one by one with a running sender; the time of each until it is received, after one that starts it. */
async function waitsOf(accountId: string): Promise<number[]> {
  const receiver = await fixture.receiver();
  const timing = { clock: systemClock, log: silentLog };
  const loop = startDueLoop(webhookSender({ ...fixture, ...timing, ...unobserved() }), timing);
  const waitsMs: number[] = [];
  for (let i = 0; i <= HEALTHY; i++) {
    const begin = performance.now();
    await fixture.deliver(receiver.url, { accountId });
    loop.wake();
    await receiver.has(i + 1);
    waitsMs.push(performance.now() - begin);
  }
  const stopped = loop[Symbol.asyncDispose]();
  await fixture.agent.destroy();
  await stopped;
  return waitsMs.slice(1).toSorted((a, b) => a - b);
}

const p99 = (sorted: readonly number[]) => sorted[Math.floor(sorted.length * 0.99)];

it("a healthy host receives each webhook within a second while hundreds of hosts of each of eight other accounts hang", async () => {
  await using dead = await startHttp(() => {}, "0.0.0.0");
  for (let octet = 3; octet < 11; octet++)
    await manyHosts(TARPITS, { port: dead.port, octet, accountId: newAccountId() });
  expect(p99(await waitsOf(newAccountId()))).toBeLessThan(SOON_MS);
});

describe("an account", () => {
  it("has at most 32 attempts in flight over all processes", async () => {
    await manyHosts(100);
    let inFlight = 0;
    for (const sender of [fixture.sender, fixture.newSender()]) {
      for (let claim = 0; claim < 8; claim++) inFlight += (await sender.claim(256)).length;
    }
    expect(inFlight).toBeGreaterThan(28);
    expect(inFlight).toBeLessThanOrEqual(32);
    for (let host = 1; host <= 8; host++) await backlog(`127.0.9.${host}`, 4);
    expect(await fixture.newSender().claim(256)).toEqual([]);
  });

  it("has a smaller share of a process the more others have, and always one receiver", async () => {
    for (let octet = 3; octet < 43; octet++) {
      await manyHosts(40, { octet, accountId: newAccountId() });
    }
    const receivers = await fixture.sender.claim(32);
    const counts = [...byAccount(receivers).values()].map(({ length }) => length);
    expect(Math.max(...counts)).toBeLessThanOrEqual(4);
    const others = await fixture.sender.claim(256);
    expect(byAccount([...receivers, ...others]).size).toBe(40);
  });
});

describe("a claim", () => {
  it("finds the one receiver that is due among hundreds of the account that are not", async () => {
    await manyHosts(400);
    await fixture.sql`update delivery.webhook_deliveries set next_attempt_at = ${addMs(fixture.clock.now(), 1)}`;
    await fixture.deliver("http://127.0.1.2/due");
    let claims = 0;
    let claimed: Receivers = [];
    while (claimed.length === 0 && claims < 200) {
      claims += 1;
      claimed = await fixture.sender.claim(64);
    }
    expect(hostsOf(claimed)).toEqual(["127.0.1.2"]);
  });

  it("returns deliveries that can be sent before it has ended all those of a disabled URL", async () => {
    await backlog("127.0.1.1", 2_000);
    await fixture.deliver("http://127.0.1.2/healthy");
    await fixture.disable("http://127.0.1.1/");
    expect(hostsOf(await fixture.sender.claim(64))).toEqual(["127.0.1.2"]);
    expect(await fixture.countOf("disabled")).toBeLessThan(1_000);
    expect(await fixture.sender.claim(64)).toEqual([]);
    expect(await fixture.countOf("disabled")).toBe(2_000);
  });

  it("reads few rows, as do a record and a release, beside 10,000 that wait for a dead host and 10,000 for their times", async () => {
    // Plans and statistics are of a table in which hardly any row is pending.
    await backlog("127.0.1.4", 10_000);
    await fixture.schemaOwner`update delivery.webhook_deliveries set status = 'delivered', next_attempt_at = null`;
    await fixture.schemaOwner`vacuum analyze delivery.webhook_deliveries`;
    await using sql = openPool(fixture.url);
    /** Claims, releases one and delivers the others; returns how many, and how many rows that read. */
    const sendAll = async () => {
      let sent = 0;
      const read = await rowsRead(sql, "delivery.webhook_deliveries", async (tx) => {
        const [first, ...others] = await fixture.claimBy(tx);
        if (first) await releaseIfLeased(tx, [first]);
        const results = await recordAttemptsIfLeased(tx, others.map(fixture.arrived), 1);
        sent = results.filter(Boolean).length;
      });
      return { sent, read };
    };
    // Postgres caches a generic plan after a few executions.
    for (let i = 0; i < 12; i++) {
      await backlog(`127.0.2.${i}`, 4);
      expect((await sendAll()).sent).toBeGreaterThan(2);
    }
    await backlog("127.0.1.3", 10_000);
    await fixture.schemaOwner`
      update delivery.webhook_deliveries set next_attempt_at = next_attempt_at + interval '1 day'
      where host = '127.0.1.3'`;
    await backlog("127.0.1.1", 10_000);
    const { sent, read } = await sendAll();
    expect(sent).toBeGreaterThan(100);
    expect(read).toBeLessThan(1_000);
  });
});
