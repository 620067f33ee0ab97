/** The sender: attempts on the wire, their schedule in rows, who may send what. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addMs } from "#runtime/clock.ts";
import { insertSecret } from "../../../services/delivery/store/webhook-secrets.ts";
import { newSecret } from "../../../services/delivery/domain/signature.ts";
import { signingSecrets } from "../../../services/delivery/webhook/signing-secrets.ts";
import { freePort } from "../../../services/standalone/embedded/ports.ts";
import { testDatabase } from "../../support/database.ts";
import { startHttp } from "../../support/http-server.ts";
import { startReceiver } from "../../support/receiver.ts";
import type { Reply } from "../../support/receiver.ts";
import { isSignedWith, senderBench, testBox } from "./fixtures.ts";

const UNAVAILABLE: Reply = { status: 503, body: "später" };
const signal = new AbortController().signal;
let database: Awaited<ReturnType<typeof testDatabase>>;

beforeAll(async () => {
  database = await testDatabase("delivery");
});
afterAll(() => database[Symbol.asyncDispose]());

describe("an attempt", () => {
  it("W2: sends exactly the stored bytes, non-ASCII included, and signs exactly those", async () => {
    await using bench = await senderBench(database);
    await using receiver = await startReceiver();
    const owner = { accountId: bench.accountId, mode: "live" as const };
    const secret = newSecret();
    const place = { ...owner, number: 1 };
    await insertSecret(bench.sql, place, testBox.seal(place, secret), bench.clock.now());
    const body = Buffer.from('{ "data":"ein Fluß, 川 and 🦊\\u0000" , "x": 1.0 }\n');
    const delivery = await bench.deliver(receiver.url, { body });

    expect(await bench.sendDue()).toBe(1);

    const [request] = receiver.received;
    if (!request) throw new Error("nothing was received");
    expect(request.body).toEqual(body);
    expect(request.headers).toMatchObject({
      "content-type": "application/json",
      "content-length": `${body.byteLength}`,
      "user-agent": "Media-Webhooks/1.0",
      "webhook-id": delivery.eventId,
      "webhook-timestamp": `${bench.clock.now().getTime() / 1000}`,
    });
    expect(isSignedWith(secret, request)).toBe(true);
    expect(isSignedWith(newSecret(), request)).toBe(false);
  });

  it("makes the account's secret where nobody has asked for one yet", async () => {
    await using bench = await senderBench(database);
    await using receiver = await startReceiver();
    await bench.deliver(receiver.url);
    await bench.sendDue();
    const owner = { accountId: bench.accountId, mode: "live" as const };
    const [{ secret }] = await signingSecrets(bench, owner);
    const [request] = receiver.received;
    expect(request && isSignedWith(secret, request)).toBe(true);
  });

  it.each([200, 201, 204, 299])("W5: ends the delivery when it is answered %d", async (status) => {
    await using bench = await senderBench(database);
    await using receiver = await startReceiver({ status });
    const delivery = await bench.deliver(receiver.url);
    await bench.sendDue();
    expect(await bench.stateOf(delivery)).toMatchObject({
      status: "delivered",
      attempt_count: 1,
      next_attempt_at: null,
      attempts: [{ number: 1, status_code: status, error: null }],
    });
  });

  it.each([302, 307, 400, 404, 429, 500, 503])(
    "W5: is made again later when it is answered %d, and a redirect is not followed",
    async (status) => {
      await using bench = await senderBench(database);
      await using elsewhere = await startReceiver();
      await using receiver = await startReceiver({ status, headers: { location: elsewhere.url } });
      const delivery = await bench.deliver(receiver.url);
      await bench.sendDue();
      expect(await bench.stateOf(delivery)).toMatchObject({
        status: "pending",
        next_attempt_at: addMs(bench.clock.now(), 5_000),
        attempts: [{ status_code: status, error: null }],
      });
      expect(elsewhere.received).toEqual([]);
    },
  );

  it("W5: is made again later when nobody listens, and says so by a code", async () => {
    await using bench = await senderBench(database);
    const delivery = await bench.deliver(`http://127.0.0.1:${await freePort()}/hook`);
    await bench.sendDue();
    expect(await bench.stateOf(delivery)).toMatchObject({
      status: "pending",
      attempts: [{ status_code: null, error: "connection_refused", response_body: null }],
    });
  });

  it("never reaches an address that is not public", async () => {
    await using bench = await senderBench(database, { allow: [] });
    await using receiver = await startReceiver();
    const delivery = await bench.deliver(receiver.url);
    await bench.sendDue();
    expect(receiver.received).toEqual([]);
    expect(await bench.stateOf(delivery)).toMatchObject({
      attempts: [{ error: "blocked_address" }],
    });
  });

  it("W12: keeps the first 2,000 characters of the response, in a form the database can hold", async () => {
    await using bench = await senderBench(database);
    await using receiver = await startReceiver({ status: 500, body: `\0${"🦊".repeat(3_000)}` });
    const delivery = await bench.deliver(receiver.url);
    await bench.sendDue();
    const kept = `\uFFFD${"🦊".repeat(1_999)}`;
    expect(await bench.stateOf(delivery)).toMatchObject({ attempts: [{ response_body: kept }] });
  });
});

describe("a delivery that keeps failing", () => {
  it("W3, W6: is tried at the exact times, with one id and a new timestamp, and is exhausted after eight", async () => {
    await using bench = await senderBench(database);
    await using receiver = await startReceiver(...Array.from({ length: 8 }, () => UNAVAILABLE));
    const delivery = await bench.deliver(receiver.url);
    const start = bench.clock.now();
    for (const waitSeconds of [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 36_000]) {
      bench.clock.advance(waitSeconds * 1_000 - 1);
      expect(await bench.sendDue()).toBe(0);
      bench.clock.advance(1);
      expect(await bench.sendDue()).toBe(1);
    }
    bench.clock.advance(100 * 3_600_000);
    expect(await bench.sendDue()).toBe(0);

    const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
    expect(ids).toEqual(Array.from({ length: 8 }, () => delivery.eventId));
    const seconds = receiver.received.map(({ headers }) => Number(headers["webhook-timestamp"]));
    expect(seconds.map((at) => at - start.getTime() / 1000)).toEqual([
      0, 5, 305, 2_105, 9_305, 27_305, 63_305, 99_305,
    ]);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-signature"])).size).toBe(
      8,
    );
    const state = await bench.stateOf(delivery);
    expect(state).toMatchObject({ status: "exhausted", attempt_count: 8, next_attempt_at: null });
    expect(state.attempts).toHaveLength(8);
  });

  it("is delivered by the first attempt that is answered well, and not tried again", async () => {
    await using bench = await senderBench(database);
    await using receiver = await startReceiver(UNAVAILABLE, UNAVAILABLE);
    const delivery = await bench.deliver(receiver.url);
    for (const waitMs of [0, 5_000, 300_000, 1_800_000, 7_200_000]) {
      bench.clock.advance(waitMs);
      await bench.sendDue();
    }
    expect(receiver.received).toHaveLength(3);
    expect(await bench.stateOf(delivery)).toMatchObject({
      status: "delivered",
      attempts: [
        { status_code: 503, response_body: "später" },
        { status_code: 503 },
        { status_code: 200 },
      ],
    });
  });

  it("W6: waits as long as Retry-After says, up to twice the planned wait", async () => {
    await using bench = await senderBench(database);
    const retryAfter = (value: string): Reply => ({
      status: 429,
      headers: { "retry-after": value },
    });
    await using receiver = await startReceiver(retryAfter("8"), retryAfter("86400"));
    const delivery = await bench.deliver(receiver.url);
    await bench.sendDue();
    expect(await bench.stateOf(delivery)).toMatchObject({
      next_attempt_at: addMs(bench.clock.now(), 8_000),
    });
    bench.clock.advance(8_000);
    await bench.sendDue();
    expect(await bench.stateOf(delivery)).toMatchObject({
      next_attempt_at: addMs(bench.clock.now(), 600_000),
    });
  });
});

describe("a URL that answers 410", () => {
  it("W5: gets nothing more of that account and mode; other accounts and modes are not touched", async () => {
    await using bench = await senderBench(database);
    await using receiver = await startReceiver({ status: 410 });
    const first = await bench.deliver(receiver.url);
    await bench.sendDue();
    expect(await bench.stateOf(first)).toMatchObject({
      status: "disabled",
      attempts: [{ status_code: 410 }],
    });
    const later = await bench.deliver(receiver.url);
    const otherMode = await bench.deliver(receiver.url, { mode: "test" });
    const otherAccount = await bench.deliver(receiver.url, { accountId: `${bench.accountId}2` });
    const otherUrl = await bench.deliver(`${receiver.url}?other`);
    await bench.sendDue();
    expect(receiver.received).toHaveLength(4);
    expect(await bench.stateOf(later)).toMatchObject({ status: "disabled", attempts: [] });
    for (const delivery of [otherMode, otherAccount, otherUrl]) {
      expect(await bench.stateOf(delivery)).toMatchObject({ status: "delivered" });
    }
  });
});

describe("several senders", () => {
  it("never hold one delivery at once, and a lease that has ended frees it", async () => {
    await using bench = await senderBench(database);
    await using receiver = await startReceiver();
    await bench.deliver(receiver.url);
    const second = bench.newSender();
    expect(await bench.sender.claim(64)).toHaveLength(1);
    expect(await second.claim(64)).toEqual([]);
    bench.clock.advance(60_000);
    expect(await second.claim(64)).toHaveLength(1);
  });

  it("W13, invariant 7: one that outlived its lease cannot write; the next one sends the same id", async () => {
    await using bench = await senderBench(database);
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    await using slow = await startHttp((_, response) => {
      asked.resolve();
      void answer.promise.then(() => response.end());
    });
    const delivery = await bench.deliver(`${slow.url}/hook`);
    const [zombie] = await bench.sender.claim(64);
    if (!zombie) throw new Error("nothing was claimed");
    const work = bench.sender.work(zombie, signal);
    await asked.promise;
    bench.clock.advance(60_000);
    const [claimed] = await bench.newSender().claim(64);
    expect(claimed?.deliveries[0]?.event_id).toBe(delivery.eventId);
    answer.resolve();
    await work;
    expect(await bench.stateOf(delivery)).toMatchObject({
      status: "pending",
      attempt_count: 0,
      attempts: [{ number: 1, status_code: null, error: null }],
    });
  });

  it("invariant 7: one that wakes up after its lease sends nothing any more", async () => {
    await using bench = await senderBench(database);
    await using receiver = await startReceiver();
    const delivery = await bench.deliver(receiver.url);
    const [zombie] = await bench.sender.claim(64);
    if (!zombie) throw new Error("nothing was claimed");
    bench.clock.advance(60_000);
    await bench.sender.work(zombie, signal);
    expect(receiver.received).toEqual([]);
    expect(await bench.sendDue(bench.newSender())).toBe(1);
    expect(await bench.stateOf(delivery)).toMatchObject({ status: "delivered" });
  });

  it("share what is due at the same moment without taking anything twice", async () => {
    await using bench = await senderBench(database);
    for (let host = 1; host <= 30; host++) await bench.deliver(`http://127.0.1.${host}/hook`);
    const claims = await Promise.all([1, 2, 3].map(() => bench.newSender().claim(64)));
    const ids = claims.flat().flatMap(({ deliveries }) => deliveries.map((row) => row.id));
    expect(ids).toHaveLength(30);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("a sender that is stopped", () => {
  it("gives an answer that does not come two seconds, then frees the delivery for the next start", async () => {
    await using bench = await senderBench(database);
    const asked = Promise.withResolvers<void>();
    await using silent = await startHttp(() => asked.resolve());
    const delivery = await bench.deliver(`${silent.url}/hook`);
    const [claimed] = await bench.sender.claim(64);
    if (!claimed) throw new Error("nothing was claimed");
    const stop = new AbortController();
    const work = bench.sender.work(claimed, stop.signal);
    await asked.promise;
    stop.abort();
    bench.clock.advance(2_000);
    await work;
    expect(await bench.stateOf(delivery)).toMatchObject({
      status: "pending",
      attempts: [{ number: 1, status_code: null, error: null }],
    });
    expect(await bench.newSender().claim(64)).toHaveLength(1);
  });
});
