/** Isolation of hosts: the queue of one does not delay another, in one process or in several. */
import { describe, expect, it } from "vitest";
import { addMs, systemClock } from "#runtime/clock.ts";
import { startDueLoop } from "#runtime/due-loop.ts";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import { recordAttemptsIfLeased } from "../../../services/delivery/store/webhook-attempts.ts";
import {
  claimDeliveries,
  releaseIfLeased,
} from "../../../services/delivery/store/webhook-claims.ts";
import { webhookSender } from "../../../services/delivery/webhook/sender.ts";
import { newAccountId } from "../../support/account.ts";
import { startHttp } from "../../support/http-server.ts";
import { startReceiver } from "../../support/receiver.ts";
import { rowsRead } from "../../support/rows-read.ts";
import { waitingSessions } from "../../support/waiting-sessions.ts";
import { claimLimits, deliveryDatabase, senderFixture, silentLog } from "./sender-fixture.ts";
import { unobserved } from "../../support/metrics.ts";
import { isLong } from "../../support/test-size.ts";

/** TEST_SIZE=long and the benchmark run the documented sizes. */
const STUCK = isLong ? 10_000 : 1_000;
const HEALTHY = isLong ? 200 : 20;
const TARPITS = isLong ? 5_000 : 300;
const database = deliveryDatabase();

type Fixture = Awaited<ReturnType<typeof senderFixture>>;
const hostsOf = (slots: Awaited<ReturnType<Fixture["sender"]["claim"]>>) =>
  slots.map(({ host }) => host).toSorted();

/** Inserts webhooks for one host, each due a second earlier than the one before. */
async function backlog(
  fixture: Fixture,
  host: string,
  count: number,
  { accountId } = fixture,
): Promise<void> {
  await fixture.sql`
    with made as (
      insert into delivery.webhook_deliveries (account_id, id, mode, event_id, type, url, host, body, created_at)
      select ${accountId}, 'whd_' || ${host} || n, 'live', 'evt_' || ${host} || n, 't', 'http://' || ${host} || '/',
        ${host}, '', ${fixture.clock.now()}::timestamptz - n * interval '1 second'
      from generate_series(1, ${count}::integer) n
      returning account_id, id, mode, url, host, created_at
    )
    insert into delivery.webhook_queue (account_id, delivery_id, mode, url_sha256, host, created_at,
      next_attempt_at, ready)
    select account_id, id, mode, sha256(url::bytea), host, created_at, created_at, true from made`;
}

describe("one host", () => {
  it("has at most four attempts in flight over all processes, and does not block other hosts", async () => {
    await using fixture = await senderFixture(database());
    await backlog(fixture, "127.0.1.1", 300);
    await fixture.deliver("http://127.0.1.2/healthy");
    const claims = await Promise.all([1, 2, 3].map(() => fixture.newSender().claim(64)));
    expect(hostsOf(claims.flat())).toEqual([
      ...Array.from({ length: 4 }, () => "127.0.1.1"),
      "127.0.1.2",
    ]);
    expect(await fixture.newSender().claim(64)).toEqual([]);
    fixture.clock.advance(60_000);
    expect(hostsOf(await fixture.newSender().claim(64))).toHaveLength(5);
  });

  it("has no fifth attempt in flight if two claims overlap and a longer due webhook is inserted in between", async () => {
    await using fixture = await senderFixture(database());
    await backlog(fixture, "127.0.1.1", 10);
    const now = fixture.clock.now();
    const slow = [`${fixture.accountId} 127.0.1.1` as const];
    const claim = { ...claimLimits, slow, now, leaseUntil: addMs(now, 60_000) };
    const waiting = () => waitingSessions(fixture.sql);
    let second: ReturnType<typeof fixture.sender.claim> | undefined;
    const first = await fixture.sql.begin(async (tx) => {
      const claimed = await claimDeliveries(tx, claim);
      await fixture.deliver("http://127.0.1.1/", { at: addMs(now, -3_600_000) });
      second = fixture.newSender().claim(64);
      await expect.poll(waiting).toBe(1);
      return claimed;
    });
    expect([...first, ...((await second) ?? [])]).toHaveLength(4);
  });

  it("has several deliveries in each of its four slots, sent one after another", async () => {
    await using fixture = await senderFixture(database());
    await using receiver = await startReceiver();
    for (let i = 0; i < 40; i++) await fixture.deliver(receiver.url);
    const slots = await fixture.sender.claim(64);
    expect(slots.map(({ deliveries }) => deliveries.length)).toEqual([10, 10, 10, 10]);
    expect(await fixture.newSender().claim(64)).toEqual([]);
    await Promise.all(slots.map((slot) => fixture.sender.work(slot, new AbortController().signal)));
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(40);
    expect(await fixture.sendDue()).toBe(0);
  });

  it("that responds slowly has one delivery per slot; the unsent rest is released without an attempt", async () => {
    await using fixture = await senderFixture(database());
    for (let i = 0; i < 40; i++) await fixture.deliver("http://127.0.1.1:1/");
    expect(await fixture.sendDue()).toBe(40);
    const [sent] =
      await fixture.sql`select count(*)::integer as count from delivery.webhook_attempts`;
    expect(sent?.["count"]).toBe(4);
    const slots = await fixture.sender.claim(64);
    expect(slots.map(({ deliveries }) => deliveries.length)).toEqual([1, 1, 1, 1]);
  });

  it("gets the unsent deliveries of its slots back when the sender stops", async () => {
    await using fixture = await senderFixture(database());
    await using receiver = await startReceiver();
    for (let i = 0; i < 40; i++) await fixture.deliver(receiver.url);
    const slots = await fixture.sender.claim(64);
    const stop = new AbortController();
    stop.abort();
    await Promise.all(slots.map((slot) => fixture.sender.work(slot, stop.signal)));
    expect(receiver.received).toHaveLength(4);
    expect(await fixture.sendDue(fixture.newSender())).toBe(36);
  });
});

/** Inserts one webhook for each of `count` hosts of an account, with addresses that begin with 127 and `octet`. */
async function manyHosts(
  fixture: Fixture,
  count: number,
  { port = 9, octet = 3, accountId = fixture.accountId } = {},
): Promise<void> {
  await fixture.sql`
    with made as (
      insert into delivery.webhook_deliveries (account_id, id, mode, event_id, type, url, host, body, created_at)
      select ${accountId}, 'whd_' || host, 'live', 'evt_' || host, 't', 'http://' || host || '/', host, '',
        ${fixture.clock.now()}
      from generate_series(1, ${count}::integer) n,
        format('127.%s.%s.%s:%s', ${octet}::integer, n / 256, n % 256, ${port}::integer) as host
      returning account_id, id, mode, url, host, created_at
    )
    insert into delivery.webhook_queue (account_id, delivery_id, mode, url_sha256, host, created_at,
      next_attempt_at, ready)
    select account_id, id, mode, sha256(url::bytea), host, created_at, created_at, true from made`;
}

/** Inserts webhooks one by one with a running sender; the time of each until it is received. */
async function waitsOf(
  fixture: Fixture,
  deliver: (url: string) => Promise<unknown>,
): Promise<number[]> {
  await using receiver = await startReceiver();
  const timing = { clock: systemClock, log: silentLog };
  const loop = startDueLoop(webhookSender({ ...fixture, ...timing, ...unobserved() }), timing);
  const waitsMs: number[] = [];
  for (let i = 0; i < HEALTHY; i++) {
    const begin = performance.now();
    await deliver(receiver.url);
    loop.wake();
    await receiver.has(i + 1);
    waitsMs.push(performance.now() - begin);
  }
  const stopped = loop[Symbol.asyncDispose]();
  await fixture.agent.destroy();
  await stopped;
  return waitsMs.toSorted((a, b) => a - b);
}

const p99 = (sorted: readonly number[]) => sorted[Math.floor(sorted.length * 0.99)];

describe("a healthy host", () => {
  it("receives each webhook within a second while a dead host has a long queue", async () => {
    await using fixture = await senderFixture(database());
    await using dead = await startHttp(() => {});
    await backlog(fixture, `127.0.0.1:${dead.port}`, STUCK);
    expect(p99(await waitsOf(fixture, (url) => fixture.deliver(url)))).toBeLessThan(1_000);
  });

  it("of another account receives each webhook within 2 s while hundreds of hosts of one account hang", async () => {
    await using fixture = await senderFixture(database());
    await using dead = await startHttp(() => {}, "0.0.0.0");
    await manyHosts(fixture, TARPITS, { port: dead.port });
    const other = { accountId: newAccountId() };
    expect(p99(await waitsOf(fixture, (url) => fixture.deliver(url, other)))).toBeLessThan(2_000);
  });
});

describe("an account", () => {
  it("has at most 24 slots over all processes for any hosts, and 8 more for fast ones", async () => {
    await using fixture = await senderFixture(database());
    await using receiver = await startReceiver();
    await fixture.deliver(receiver.url);
    await fixture.sendDue();
    await manyHosts(fixture, 100);
    const claims = [await fixture.sender.claim(256), await fixture.newSender().claim(256)];
    expect(claims.map(({ length }) => length)).toEqual([24, 0]);
    await fixture.deliver(receiver.url);
    expect(await fixture.newSender().claim(256)).toEqual([]);
    expect(hostsOf(await fixture.sender.claim(256))).toEqual([new URL(receiver.url).host]);
  });

  it("has eight slots in its turn, and its hosts are served in turn", async () => {
    await using fixture = await senderFixture(database());
    const accounts = Array.from({ length: 4 }, newAccountId);
    for (const [index, accountId] of accounts.entries()) {
      await manyHosts(fixture, 40, { octet: 3 + index, accountId });
    }
    const served: string[] = [];
    for (let turn = 0; turn < 8; turn++) {
      const slots = await fixture.sender.claim(8);
      served.push(...slots.map(({ accountId, host }) => `${accountId} ${host}`));
      for (const { deliveries } of slots) {
        await releaseIfLeased(fixture.sql, deliveries, { wereSent: false });
      }
    }
    const turns = served.map((receiver) => receiver.split(" ")[0]).filter((_, n) => n % 8 === 0);
    expect(turns).toEqual([...accounts.toSorted(), ...accounts.toSorted()]);
    expect(new Set(served).size).toBe(64);
  });
});

describe("a process", () => {
  it("keeps a quarter of its slots for hosts that were fast the last time", async () => {
    await using fixture = await senderFixture(database());
    await using receiver = await startReceiver();
    await fixture.deliver(receiver.url);
    await fixture.sendDue();
    for (let octet = 3; octet < 12; octet++) {
      await manyHosts(fixture, 40, { octet, accountId: newAccountId() });
    }
    expect(await fixture.sender.claim(256)).toHaveLength(192);
    expect(await fixture.sender.claim(64)).toEqual([]);
    await fixture.deliver(receiver.url);
    await fixture.deliver("http://127.0.1.1/unknown");
    expect(hostsOf(await fixture.sender.claim(64))).toEqual([new URL(receiver.url).host]);
  });
});

describe("a claim", () => {
  it("takes hosts in turn: with a limit of one host, every host is served before any is served again", async () => {
    await using fixture = await senderFixture(database());
    const hosts = Array.from({ length: 10 }, (_, index) => `127.0.2.${index + 10}`);
    for (const host of hosts) await backlog(fixture, host, 16);
    const served: string[] = [];
    for (let i = 0; i < 10; i++) {
      const slots = await fixture.sender.claim(4);
      served.push(...new Set(slots.map(({ host }) => host)));
      await Promise.all(
        slots.map((slot) => fixture.sender.work(slot, new AbortController().signal)),
      );
    }
    expect(served.toSorted()).toEqual(hosts);
  });

  it("returns deliveries that can be sent before it has ended all those of a disabled URL", async () => {
    await using fixture = await senderFixture(database());
    await backlog(fixture, "127.0.1.1", 2_000);
    await fixture.deliver("http://127.0.1.2/healthy");
    await fixture.sql`
      insert into delivery.disabled_urls (account_id, mode, url_sha256, url, disabled_at)
      values (${fixture.accountId}, 'live', sha256('http://127.0.1.1/'), 'http://127.0.1.1/', ${fixture.clock.now()})`;
    const ended = async () =>
      (await fixture.sql`select 1 as one from delivery.finished_deliveries`).length;
    expect(hostsOf(await fixture.sender.claim(64))).toEqual(["127.0.1.2"]);
    expect(await ended()).toBeLessThan(1_000);
    expect(await fixture.sender.claim(64)).toEqual([]);
    expect(await ended()).toBe(2_000);
  });

  it("reads few rows although 10,000 wait for a dead host and 10,000 for their times", async () => {
    await using fixture = await senderFixture(database());
    await backlog(fixture, "127.0.1.3", 10_001);
    await fixture.sql`
      update delivery.webhook_queue set ready = false, next_attempt_at = next_attempt_at + interval '1 day'
      where delivery_id <> 'whd_127.0.1.31'`;
    await fixture.sql`update delivery.webhook_queue set ready = false where ready`;
    await backlog(fixture, "127.0.1.1", 10_000);
    await backlog(fixture, "127.0.1.2", 4);
    const owner = connectPostgres({ url: database().ownerUrl, maxConnections: 1 }, "test");
    await owner`analyze delivery.webhook_deliveries, delivery.webhook_queue`;
    await owner.end({ timeout: 1 });
    const now = fixture.clock.now();
    const slow = ["127.0.1.1", "127.0.1.2"].map((host) => `${fixture.accountId} ${host}` as const);
    for (const taken of [8, 1, 0]) {
      let rows = 0;
      const leaseUntil = new Date(now.getTime() + 60_000);
      const read = await rowsRead(fixture.sql, "delivery.webhook_queue", async (tx) => {
        rows = (await claimDeliveries(tx, { ...claimLimits, slow, now, leaseUntil })).length;
      });
      expect(rows).toBe(taken);
      expect(read).toBeLessThan(100);
    }
  });

  it("reads few rows, as do a record and a release, with plans that were cached for an almost empty queue", async () => {
    await using fixture = await senderFixture(database());
    const owner = connectPostgres({ url: database().ownerUrl, maxConnections: 1 }, "test");
    await backlog(fixture, "127.0.1.1", 5_000);
    await fixture.sql`delete from delivery.webhook_queue`;
    await owner`vacuum (truncate off, analyze) delivery.webhook_queue`;
    await owner.end({ timeout: 1 });
    const sql = connectPostgres({ url: database().url, maxConnections: 1 }, "test");
    /** Claims, releases one and delivers the others; returns how many, and how many rows of the queue that read. */
    const sendAll = async () => {
      const now = fixture.clock.now();
      let sent = 0;
      const read = await rowsRead(sql, "delivery.webhook_queue", async (tx) => {
        const claim = { ...claimLimits, now, leaseUntil: addMs(now, 60_000) };
        const rows = await claimDeliveries(tx, claim);
        const [first, ...others] = rows.filter((row) => row.hostSlot !== null);
        if (first) await releaseIfLeased(tx, [first], { wereSent: false });
        const ended = others.map((claimed) => ({
          claimed,
          attempt: { at: now, durationMs: 1, statusCode: 200 },
          outcome: { status: "delivered" as const },
        }));
        sent = (await recordAttemptsIfLeased(tx, ended, 1)).filter(
          ({ leaseHeld }) => leaseHeld,
        ).length;
      });
      return { sent, read };
    };
    /** Scans of the indexes for lists, which would read all rows of an account. */
    const listings = async () => {
      await sql`select pg_stat_force_next_flush()`;
      const [row] = await sql`
        select sum(idx_scan) as scans from pg_stat_user_indexes where indexrelname like 'webhook_%_listed%'`;
      return row?.["scans"];
    };
    const before = await listings();
    // Postgres caches a generic plan after a few executions.
    for (let i = 0; i < 12; i++) {
      await backlog(fixture, `127.0.2.${i}`, 4);
      expect((await sendAll()).sent).toBeGreaterThan(2);
    }
    await backlog(fixture, "127.0.1.2", 5_000);
    const { sent, read } = await sendAll();
    expect(sent).toBeGreaterThan(200);
    expect(read).toBeLessThan(1_000);
    expect(await listings()).toEqual(before);
    await sql.end({ timeout: 1 });
  });
});
