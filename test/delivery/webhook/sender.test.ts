/** The sender: its requests, the schedule of attempts, leases, stopping, and how attempts are written. */
import { addMs } from "#runtime/clock.ts";
import { readWebhookFigures } from "../../../services/delivery/store/webhook-deliveries.ts";
import { attemptWriter } from "../../../services/delivery/webhook/sender.ts";
import { releaseIfLeased } from "../../../services/delivery/store/webhook-claims.ts";
import { holds } from "../../support/alert-rules.ts";
import { scrapedBacklog } from "../../support/metrics.ts";
import { newSecret, type Received } from "../../support/receiver.ts";
import { isSignedWith, repeated, webhookFixture } from "./webhook-fixture.ts";

const signal = new AbortController().signal;
const fixture = webhookFixture();
const idsIn = ({ received }: { received: Received[] }) =>
  received.map(({ headers }) => headers["webhook-id"]);

it("webhooks for a receiver that hangs raise the alert, until it answers again", async () => {
  const { sql, clock } = fixture;
  const answer = Promise.withResolvers<number>();
  const tarpit = await fixture.receiver(answer.promise);
  const readWebhooks = () => readWebhookFigures(sql, clock.now());
  const scraped = scrapedBacklog({ readWebhooks }, clock);
  const isOn = async () => holds("WebhookAge", await scraped());
  await fixture.deliver(tarpit.url);
  const hanging = fixture.sendDue();
  await tarpit.has(1);
  expect(await readWebhooks()).toEqual({ ready: 0, planned: 1, oldest: undefined });
  for (let index = 0; index < 3; index += 1) await fixture.deliver(tarpit.url);
  expect(await isOn()).toBe(false);
  clock.advance(301_000);
  expect(await isOn()).toBe(true);

  answer.resolve(200);
  await hanging;
  while ((await fixture.sendDue()) > 0);
  expect(await isOn()).toBe(false);
});

describe("an attempt", () => {
  it("sends and signs exactly the stored bytes, non-ASCII included", async () => {
    const receiver = await fixture.receiver();
    const body = Buffer.from('{ "data":"ein Fluß, 川 and 🦊\\u0000" , "x": 1.0 }\n');
    const delivery = await fixture.deliver(receiver.url, { body });

    expect(await fixture.sendDue()).toBe(1);

    const [request] = receiver.received;
    if (!request) throw new Error("nothing was received");
    expect(request.body).toEqual(body);
    expect(request.headers).toMatchObject({
      "content-type": "application/json",
      "content-length": `${body.byteLength}`,
      "user-agent": "Media-Webhooks/1.0",
      "webhook-id": delivery.eventId,
      "webhook-timestamp": `${fixture.clock.now().getTime() / 1000}`,
    });
    const { secret } = await fixture.rpc.getWebhookSecret(fixture.owner);
    expect(isSignedWith(secret, request)).toBe(true);
    expect(isSignedWith(newSecret(), request)).toBe(false);
  });

  it("ends the delivery if the response is 2xx, is followed by another else, and follows no redirect", async () => {
    const elsewhere = await fixture.receiver();
    const headers = { location: elsewhere.url };
    const statuses = [200, 201, 204, 299, 302, 307, 400, 404, 429, 500, 503];
    const receiver = await fixture.receiver(...statuses.map((status) => ({ status, headers })));
    for (const status of statuses) {
      const delivery = await fixture.deliver(receiver.url);
      await fixture.sendDue();
      const isLast = status < 300;
      expect(await fixture.stateOf(delivery)).toMatchObject({
        status: isLast ? "delivered" : "pending",
        attemptCount: 1,
        nextAttemptAt: isLast ? null : addMs(fixture.clock.now(), 5_000),
        attempts: [{ number: 1, statusCode: status, error: null }],
      });
    }
    expect(elsewhere.received).toEqual([]);
  });

  it.each([
    ["the connection is refused", "connection_refused"],
    ["the address is not public: it is never sent there", "blocked_address"],
  ])("is followed by another, and has an error code, if %s", async (_what, error) => {
    const receiver = await fixture.receiver();
    if (error === "blocked_address") fixture.forbidLoopback();
    else await receiver[Symbol.asyncDispose]();
    const delivery = await fixture.deliver(receiver.url);
    await fixture.sendDue();
    expect(receiver.received).toEqual([]);
    expect(await fixture.stateOf(delivery)).toMatchObject({
      status: "pending",
      attempts: [{ statusCode: null, error, responseBody: null }],
    });
  });

  it("records the first 2,000 characters of the response, in a form that Postgres can store", async () => {
    const delivery = await fixture.sent({ status: 500, body: `\0${"🦊".repeat(3_000)}` });
    const kept = `\uFFFD${"🦊".repeat(1_999)}`;
    expect(await fixture.stateOf(delivery)).toMatchObject({ attempts: [{ responseBody: kept }] });
  });
});

describe("a delivery that keeps failing", () => {
  it("is attempted at the exact times, with one id and new timestamps, and is exhausted after eight", async () => {
    const receiver = await fixture.receiver(...repeated(8, 503));
    const delivery = await fixture.deliver(receiver.url);
    const start = fixture.clock.now();
    for (const waitSeconds of [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 36_000]) {
      fixture.clock.advance(waitSeconds * 1_000 - 1);
      expect(await fixture.sendDue()).toBe(0);
      fixture.clock.advance(1);
      expect(await fixture.sendDue()).toBe(1);
    }
    fixture.clock.advance(100 * 3_600_000);
    expect(await fixture.sendDue()).toBe(0);

    expect(idsIn(receiver)).toEqual(repeated(8, delivery.eventId));
    const seconds = receiver.received.map(({ headers }) => Number(headers["webhook-timestamp"]));
    expect(seconds.map((at) => at - start.getTime() / 1000)).toEqual([
      0, 5, 305, 2_105, 9_305, 27_305, 63_305, 99_305,
    ]);
    const signatures = receiver.received.map(({ headers }) => headers["webhook-signature"]);
    expect(new Set(signatures).size).toBe(8);
    const state = await fixture.stateOf(delivery);
    expect(state).toMatchObject({ status: "exhausted", attemptCount: 8, nextAttemptAt: null });
    expect(state.attempts).toHaveLength(8);
  });

  it("waits as long as Retry-After says, no less than planned and up to twice as long", async () => {
    const waits = [
      ["8", 8],
      ["86400", 600],
      ["1", 1_800],
    ] as const;
    const replies = waits.map(([value]) => ({ status: 429, headers: { "retry-after": value } }));
    const receiver = await fixture.receiver(...replies);
    const delivery = await fixture.deliver(receiver.url);
    for (const [, seconds] of waits) {
      await fixture.sendDue();
      const nextAttemptAt = addMs(fixture.clock.now(), seconds * 1_000);
      expect(await fixture.stateOf(delivery)).toMatchObject({ nextAttemptAt });
      fixture.clock.advance(seconds * 1_000);
    }
  });
});

it("a URL that answers 410 gets no more webhooks of that account and mode, while others are not affected", async () => {
  const { receiver, ...first } = await fixture.sent(410);
  expect(await fixture.stateOf(first)).toMatchObject({
    status: "disabled",
    attempts: [{ statusCode: 410 }],
  });
  const later = await fixture.deliver(receiver.url);
  const otherMode = await fixture.deliver(receiver.url, { mode: "test" });
  const otherAccount = await fixture.deliver(receiver.url, { accountId: `${fixture.accountId}2` });
  const otherUrl = await fixture.deliver(`${receiver.url}?other`);
  await fixture.sendDue();
  expect(receiver.received).toHaveLength(4);
  expect(await fixture.stateOf(later)).toMatchObject({ status: "disabled", attempts: [] });
  const { values } = await fixture.metrics.deliveries.get();
  expect(values).toContainEqual({ labels: { status: "disabled" }, value: 2 });
  for (const delivery of [otherMode, otherAccount, otherUrl]) {
    expect(await fixture.stateOf(delivery)).toMatchObject({ status: "delivered" });
  }
});

describe("several senders", () => {
  it("include one that outlived its lease or was killed: it cannot write, and the next one sends the same id", async () => {
    const answer = Promise.withResolvers<number>();
    const slow = await fixture.receiver(answer.promise);
    const delivery = await fixture.deliver(slow.url);
    const paused = await fixture.claimOne();
    const work = fixture.sender.work(paused, signal);
    await slow.has(1);
    fixture.clock.advance(60_000);
    const [claimed] = await fixture.newSender().claim(64);
    expect(claimed?.deliveries[0]?.eventId).toBe(delivery.eventId);
    answer.resolve(200);
    await work;
    expect(await fixture.stateOf(delivery)).toMatchObject({
      status: "pending",
      attemptCount: 0,
      attempts: [{ number: 1, statusCode: null, error: null }],
    });
    fixture.clock.advance(60_000);
    expect(await fixture.sendDue(fixture.newSender())).toBe(1);
    expect(idsIn(slow)).toEqual([delivery.eventId, delivery.eventId]);
    expect(await fixture.stateOf(delivery)).toMatchObject({
      status: "delivered",
      attempts: [{ statusCode: null }, { statusCode: null }, { number: 3, statusCode: 200 }],
    });
  });

  it.each(["paused", "killed"])("include one that was %s before it has sent", async (what) => {
    const receiver = await fixture.receiver();
    const delivery = await fixture.deliver(receiver.url);
    const claimed = await fixture.claimOne();
    fixture.clock.advance(60_000);
    if (what === "paused") await fixture.sender.work(claimed, signal);
    expect(receiver.received).toEqual([]);
    expect(await fixture.sendDue(fixture.newSender())).toBe(1);
    const unknown = { number: 1, statusCode: null, error: null };
    expect(await fixture.stateOf(delivery)).toMatchObject({
      status: "delivered",
      attemptCount: 1,
      attempts: [...(what === "killed" ? [unknown] : []), { number: 2, statusCode: 200 }],
    });
  });

  it("one that outlived its lease cannot release what the next one claimed", async () => {
    await fixture.deliver("http://127.0.0.1:1/");
    const paused = await fixture.claimOne();
    fixture.clock.advance(60_000);
    expect(await fixture.newSender().claim(64)).toHaveLength(1);
    await releaseIfLeased(fixture.sql, paused.deliveries);
    expect(await fixture.newSender().claim(64)).toEqual([]);
  });

  it("do not wait for a delivery that another transaction holds", async () => {
    const held = await fixture.deliver("http://127.0.1.1/hook");
    const free = await fixture.deliver("http://127.0.1.2/hook");
    expect(await fixture.sender.claim(64)).toHaveLength(2);
    fixture.clock.advance(60_000);
    const claimed = await fixture.sql.begin(async (tx) => {
      await tx`select 1 as one from delivery.webhook_deliveries where id = ${held.id} for update`;
      return fixture.newSender().claim(64);
    });
    expect(claimed.flatMap(({ deliveries }) => deliveries.map(({ id }) => id))).toEqual([free.id]);
  });
});

it("a sender that is stopped gives up an attempt under way, and releases the delivery", async () => {
  const silent = await fixture.receiver(new Promise<number>(() => {}));
  const delivery = await fixture.deliver(silent.url);
  const claimed = await fixture.claimOne();
  const stop = new AbortController();
  const work = fixture.sender.work(claimed, stop.signal);
  await silent.has(1);
  stop.abort();
  await work;
  expect(await fixture.stateOf(delivery)).toMatchObject({
    status: "pending",
    attempts: [{ number: 1, statusCode: null, error: null }],
  });
  expect(await fixture.newSender().claim(64)).toHaveLength(1);
});

/** Claims new deliveries, and returns a successful attempt for each. */
async function claimAttempts(count: number) {
  for (let i = 0; i < count; i++) await fixture.deliver("http://127.0.0.1:1/");
  const slots = await fixture.sender.claim(64);
  const ended = slots.flatMap(({ deliveries }) => deliveries).map(fixture.arrived);
  expect(ended).toHaveLength(count);
  return ended;
}

describe("the attempt writer", () => {
  it("writes the other attempts if one cannot be written, and rejects only that one", async () => {
    const ended = await claimAttempts(3);
    const write = attemptWriter(fixture.sql);
    const settled = await Promise.allSettled(
      ended.map((one, index) => {
        // Postgres refuses NUL characters.
        const attempt = index === 1 ? { ...one.attempt, responseBody: "\0" } : one.attempt;
        return write({ ...one, attempt });
      }),
    );
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await fixture.countOf("pending")).toBe(1);
  });

  it("counts an attempt once if it is recorded twice", async () => {
    const [first] = await claimAttempts(1);
    if (!first) throw new Error("nothing was claimed");
    const nextAttemptAt = addMs(fixture.clock.now(), 5_000);
    const ended = { ...first, outcome: { status: "pending" as const, nextAttemptAt } };
    const write = attemptWriter(fixture.sql);
    await write(ended);
    await write(ended);
    const [row] =
      await fixture.sql`select attempts, next_attempt_at from delivery.webhook_deliveries`;
    expect(row).toEqual({ attempts: 1, nextAttemptAt });
  });
});
