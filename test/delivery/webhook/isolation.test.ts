/** Isolation: what one host owes does not hold up another, in one process or in several. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addMs, systemClock } from "#runtime/clock.ts";
import { startDueLoop } from "#runtime/due-loop.ts";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import { recordAttemptsIfLeased } from "../../../services/delivery/store/webhook-attempts.ts";
import {
  claimDeliveries,
  releaseIfLeased,
} from "../../../services/delivery/store/webhook-claims.ts";
import { webhookSender } from "../../../services/delivery/webhook/sender.ts";
import { testDatabase } from "../../support/database.ts";
import { startHttp } from "../../support/http-server.ts";
import { startReceiver } from "../../support/receiver.ts";
import { rowsRead } from "../../support/rows-read.ts";
import { quiet, senderBench } from "./fixtures.ts";

/** The size that the promise names is run by TEST_SIZE=long, and by the benchmark. */
const isLong = process.env["TEST_SIZE"] === "long";
const STUCK = isLong ? 10_000 : 1_000;
const HEALTHY = isLong ? 200 : 20;
let database: Awaited<ReturnType<typeof testDatabase>>;

beforeAll(async () => {
  database = await testDatabase("delivery");
});
afterAll(() => database[Symbol.asyncDispose]());

type Bench = Awaited<ReturnType<typeof senderBench>>;
const hostsOf = (lanes: Awaited<ReturnType<Bench["sender"]["claim"]>>) =>
  lanes.map(({ host }) => host).toSorted();

/** Webhooks of the bench's account that wait for one host, due for ever longer. */
async function backlog(bench: Bench, host: string, count: number): Promise<void> {
  await bench.sql`
    with made as (
      insert into delivery.webhook_deliveries (account_id, id, mode, event_id, type, url, host, body, created_at)
      select ${bench.accountId}, 'whd_' || ${host} || n, 'live', 'evt_' || ${host} || n, 't', 'http://' || ${host} || '/',
        ${host}, '', ${bench.clock.now()}::timestamptz - n * interval '1 second'
      from generate_series(1, ${count}::integer) n
      returning account_id, id, mode, url, host, created_at
    )
    insert into delivery.webhook_queue (account_id, delivery_id, mode, url_sha256, host, created_at,
      next_attempt_at, ready)
    select account_id, id, mode, sha256(url::bytea), host, created_at, created_at, true from made`;
}

describe("one host", () => {
  it("W8: has at most four attempts in flight over all processes, and holds up no other behind its queue", async () => {
    await using bench = await senderBench(database);
    await backlog(bench, "127.0.1.1", 300);
    await bench.deliver("http://127.0.1.2/healthy");
    const claims = await Promise.all([1, 2, 3].map(() => bench.newSender().claim(64)));
    expect(hostsOf(claims.flat())).toEqual([
      ...Array.from({ length: 4 }, () => "127.0.1.1"),
      "127.0.1.2",
    ]);
    expect(await bench.newSender().claim(64)).toEqual([]);
    bench.clock.advance(60_000);
    expect(hostsOf(await bench.newSender().claim(64))).toHaveLength(5);
  });

  it("W8: has no fifth attempt in flight where two claims overlap and a longer due webhook comes in between", async () => {
    await using bench = await senderBench(database);
    await backlog(bench, "127.0.1.1", 10);
    const now = bench.clock.now();
    const limits = { hosts: 4, lanesOfHost: 4, slowHosts: [], depth: 1, rows: 64 };
    const claim = { ...limits, now, leaseUntil: addMs(now, 60_000), afterHost: "" };
    const waiting = async () => {
      const rows = await bench.sql`
        select 1 as one from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return rows.length;
    };
    let second: ReturnType<typeof bench.sender.claim> | undefined;
    const first = await bench.sql.begin(async (tx) => {
      const claimed = await claimDeliveries(tx, claim);
      await bench.deliver("http://127.0.1.1/", { at: addMs(now, -3_600_000) });
      second = bench.newSender().claim(64);
      await expect.poll(waiting).toBe(1);
      return claimed;
    });
    expect([...first, ...((await second) ?? [])]).toHaveLength(4);
  });

  it("gets several deliveries a lane, one after the other, still in four lanes", async () => {
    await using bench = await senderBench(database);
    await using receiver = await startReceiver();
    for (let i = 0; i < 40; i++) await bench.deliver(receiver.url);
    const lanes = await bench.sender.claim(64);
    expect(lanes.map(({ deliveries }) => deliveries.length)).toEqual([10, 10, 10, 10]);
    expect(await bench.newSender().claim(64)).toEqual([]);
    await Promise.all(lanes.map((lane) => bench.sender.work(lane, new AbortController().signal)));
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(40);
    expect(await bench.sendDue()).toBe(0);
  });

  it("that does not answer at once is given one delivery a lane; what stood behind it unsent goes back unseen", async () => {
    await using bench = await senderBench(database);
    for (let i = 0; i < 40; i++) await bench.deliver("http://127.0.1.1:1/");
    expect(await bench.sendDue()).toBe(40);
    const [sent] =
      await bench.sql`select count(*)::integer as count from delivery.webhook_attempts`;
    expect(sent?.["count"]).toBe(4);
    const lanes = await bench.sender.claim(64);
    expect(lanes.map(({ deliveries }) => deliveries.length)).toEqual([1, 1, 1, 1]);
  });

  it("keeps what stands in its lanes unsent when the sender stops", async () => {
    await using bench = await senderBench(database);
    await using receiver = await startReceiver();
    for (let i = 0; i < 40; i++) await bench.deliver(receiver.url);
    const lanes = await bench.sender.claim(64);
    const stop = new AbortController();
    stop.abort();
    await Promise.all(lanes.map((lane) => bench.sender.work(lane, stop.signal)));
    expect(receiver.received).toHaveLength(4);
    expect(await bench.sendDue(bench.newSender())).toBe(36);
  });
});

it("W8: a healthy host receives each webhook within a second while a dead one has a long queue", async () => {
  await using bench = await senderBench(database);
  await using receiver = await startReceiver();
  await using dead = await startHttp(() => {});
  await backlog(bench, `127.0.0.1:${dead.port}`, STUCK);
  const timing = { clock: systemClock, log: quiet };
  const loop = startDueLoop(webhookSender({ ...bench, ...timing }), timing);
  const waitsMs: number[] = [];
  for (let i = 0; i < HEALTHY; i++) {
    const begin = performance.now();
    await bench.deliver(receiver.url);
    loop.wake();
    await receiver.has(i + 1);
    waitsMs.push(performance.now() - begin);
  }
  const stopped = loop[Symbol.asyncDispose]();
  await dead[Symbol.asyncDispose]();
  await stopped;
  const p99 = waitsMs.toSorted((a, b) => a - b)[Math.floor(HEALTHY * 0.99)];
  expect(p99).toBeLessThan(1_000);
});

describe("a claim", () => {
  it("takes hosts in turn: with room for one host at a time, each of many is served before any is again", async () => {
    await using bench = await senderBench(database);
    const hosts = Array.from({ length: 10 }, (_, index) => `127.0.2.${index + 10}`);
    for (const host of hosts) await backlog(bench, host, 16);
    const served: string[] = [];
    for (let i = 0; i < 10; i++) {
      const lanes = await bench.sender.claim(4);
      served.push(...new Set(lanes.map(({ host }) => host)));
      await Promise.all(lanes.map((lane) => bench.sender.work(lane, new AbortController().signal)));
    }
    expect(served.toSorted()).toEqual(hosts);
  });

  it("brings what can be sent before it has ended all that a disabled URL stopped", async () => {
    await using bench = await senderBench(database);
    await backlog(bench, "127.0.1.1", 2_000);
    await bench.deliver("http://127.0.1.2/healthy");
    await bench.sql`
      insert into delivery.disabled_urls (account_id, mode, url_sha256, url, disabled_at)
      values (${bench.accountId}, 'live', sha256('http://127.0.1.1/'), 'http://127.0.1.1/', ${bench.clock.now()})`;
    const ended = async () => (await bench.sql`select 1 as one from delivery.webhook_ends`).length;
    expect(hostsOf(await bench.sender.claim(64))).toEqual(["127.0.1.2"]);
    expect(await ended()).toBeLessThan(1_000);
    expect(await bench.sender.claim(64)).toEqual([]);
    expect(await ended()).toBe(2_000);
  });

  it("reads no more rows behind 10,000 waiting for a dead host than it takes", async () => {
    await using bench = await senderBench(database);
    await backlog(bench, "127.0.1.1", 10_000);
    await backlog(bench, "127.0.1.2", 4);
    const owner = connectPostgres({ url: database.ownerUrl, maxConnections: 1 }, "test");
    await owner`analyze delivery.webhook_deliveries, delivery.webhook_queue`;
    await owner.end({ timeout: 1 });
    const now = bench.clock.now();
    const claim = {
      now,
      leaseUntil: now,
      hosts: 16,
      lanesOfHost: 4,
      slowHosts: [],
      depth: 1,
      rows: 64,
    };
    for (const taken of [8, 0]) {
      let rows = 0;
      const leaseUntil = new Date(now.getTime() + 60_000);
      const read = await rowsRead(bench.sql, "delivery.webhook_queue", async (tx) => {
        rows = (await claimDeliveries(tx, { ...claim, leaseUntil, afterHost: "" })).length;
      });
      expect(rows).toBe(taken);
      expect(read).toBeLessThan(100);
    }
  });

  it("reads no more than it takes, nor do a record and a release, by plans that were made for an almost empty queue", async () => {
    await using bench = await senderBench(database);
    const owner = connectPostgres({ url: database.ownerUrl, maxConnections: 1 }, "test");
    await backlog(bench, "127.0.1.1", 5_000);
    await bench.sql`delete from delivery.webhook_queue`;
    await owner`vacuum (truncate off, analyze) delivery.webhook_queue`;
    await owner.end({ timeout: 1 });
    const sql = connectPostgres({ url: database.url, maxConnections: 1 }, "test");
    const limits = { afterHost: "", hosts: 16, lanesOfHost: 4, slowHosts: [], depth: 16, rows: 64 };
    /** Claims, gives one back and delivers the others; how many, and the rows of the queue that this read. */
    const sendAll = async () => {
      const now = bench.clock.now();
      let sent = 0;
      const read = await rowsRead(sql, "delivery.webhook_queue", async (tx) => {
        const claim = { ...limits, now, leaseUntil: addMs(now, 60_000) };
        const rows = await claimDeliveries(tx, claim);
        const [first, ...others] = rows.filter((row) => row.lane !== null);
        if (first) await releaseIfLeased(tx, [first], { wereSent: false });
        const ended = others.map((claimed) => ({
          claimed,
          attempt: { at: now, durationMs: 1, statusCode: 200 },
          verdict: { status: "delivered" as const },
        }));
        sent = (await recordAttemptsIfLeased(tx, ended, 1)).filter(({ isOurs }) => isOurs).length;
      });
      return { sent, read };
    };
    /** A list's index has all of an account, where a key has one row. */
    const listings = async () => {
      await sql`select pg_stat_force_next_flush()`;
      const [row] = await sql`
        select sum(idx_scan) as scans from pg_stat_user_indexes where indexrelname like 'webhook_%_listed%'`;
      return row?.["scans"];
    };
    const before = await listings();
    // Postgres keeps a plan for all that follows once it has made a few.
    for (let i = 0; i < 12; i++) {
      await backlog(bench, `127.0.2.${i}`, 4);
      expect((await sendAll()).sent).toBeGreaterThan(2);
    }
    await backlog(bench, "127.0.1.2", 5_000);
    const { sent, read } = await sendAll();
    expect(sent).toBeGreaterThan(30);
    expect(read).toBeLessThan(500);
    expect(await listings()).toEqual(before);
    await sql.end({ timeout: 1 });
  });
});
