/** Webhooks as their account sees them: lists, how many rows these read, single deliveries, and redeliveries. */
import { timestampFromDate, timestampMs, type Timestamp } from "@bufbuild/protobuf/wkt";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { DeliveryStatus } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { addMs } from "#runtime/clock.ts";
import { randomId } from "#runtime/id.ts";
import type { Transaction } from "#runtime/postgres/connect.ts";
import {
  listDeliveries,
  type NewDelivery,
} from "../../../services/delivery/store/webhook-deliveries.ts";
import { newAccountId } from "../../support/account.ts";
import { rowsRead } from "../../support/rows-read.ts";
import { refusalOf } from "../test-deps.ts";
import { repeated, webhookFixture } from "./webhook-fixture.ts";

const { PENDING, DELIVERED, EXHAUSTED, DISABLED } = DeliveryStatus;
const fixture = webhookFixture();
const msOf = (time: Timestamp | undefined) => (time ? timestampMs(time) : 0);

/** What a call for an account or mode is that has nothing. */
const strangers = () => [{ mode: Mode.TEST }, { accountId: newAccountId() }];

describe("a list of deliveries", () => {
  it("is newest first, of one account and mode, and its pages have neither gaps nor repetitions, even within one millisecond", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) {
      if (i % 3 === 0) fixture.clock.advance(1_000);
      ids.push((await fixture.deliver("https://hooks.example/a")).id);
    }
    const all = (await fixture.list()).deliveries;
    expect(all.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    const times = all.map(({ createdAt }) => msOf(createdAt));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    for (const limit of [1, 3, 7]) {
      const seen: string[] = [];
      for (let after: string | undefined; ; after = seen.at(-1)) {
        const page = await fixture.list(after === undefined ? { limit } : { limit, after });
        seen.push(...page.deliveries.map(({ id }) => id));
        if (!page.hasMore) break;
      }
      expect(seen).toEqual(all.map(({ id }) => id));
    }
    for (const stranger of strangers())
      expect((await fixture.list(stranger)).deliveries).toEqual([]);
  });

  it("filters by generation, by the event's type, by URL and by time, with a status and without", async () => {
    const receiver = await fixture.receiver(500, 200, 200);
    const start = fixture.clock.now();
    const shop = `${receiver.url}/shop`;
    const made: NewDelivery[] = [];
    for (const [url, type] of [
      [shop, "video.generation.failed"],
      [receiver.url, "balance.low"],
      [shop, "balance.low"],
    ] as const) {
      made.push(await fixture.deliver(url, { type }));
      await fixture.sendDue();
      fixture.clock.advance(1_000);
    }
    const ids = made.map(({ id }) => id);
    const { generationId } = made[1] ?? {};
    const createdAfter = timestampFromDate(start);
    const createdBefore = timestampFromDate(addMs(start, 2_000));
    /** Which of the three are listed: the first is numbered 0. */
    const listed = async (filter: object) =>
      (await fixture.list(filter)).deliveries.map(({ id }) => ids.indexOf(id));
    expect(await listed({ type: "balance.low" })).toEqual([2, 1]);
    expect(await listed({ type: "balance.low", after: ids[2] })).toEqual([1]);
    expect(await listed({ type: "balance" })).toEqual([]);
    expect(await listed({ url: shop })).toEqual([2, 0]);
    expect(await listed({ url: `${shop}/` })).toEqual([]);
    expect(await listed({ type: "balance.low", url: shop })).toEqual([2]);
    expect(await listed({ generationId })).toEqual([1]);
    expect(await listed({ generationId, status: PENDING })).toEqual([]);
    await expect(listed({ generationId: "vgen_\0" })).rejects.toThrow("generation_id");
    expect(await listed({ createdAfter })).toEqual([2, 1]);
    expect(await listed({ createdBefore })).toEqual([1, 0]);
    expect(await listed({ createdAfter, createdBefore })).toEqual([1]);
    for (const [state, of] of [
      [{ failing: true }, [0]],
      [{ status: PENDING }, [0]],
      [{ status: DELIVERED }, [1, 2]],
      [{ status: DISABLED }, []],
    ] as [object, number[]][]) {
      const ofState = (numbers: number[]) => numbers.filter((number) => of.includes(number));
      expect(await listed({ ...state, type: "balance.low" })).toEqual(ofState([2, 1]));
      expect(await listed({ ...state, type: "video.generation.failed" })).toEqual(ofState([0]));
      expect(await listed({ ...state, url: shop })).toEqual(ofState([2, 0]));
      expect(await listed({ ...state, url: receiver.url })).toEqual(ofState([1]));
      expect(await listed({ ...state, createdBefore })).toEqual(ofState([1, 0]));
    }
    // Failing are those of which an attempt was made.
    await fixture.deliver(receiver.url);
    expect(await listed({ failing: true, status: PENDING })).toEqual([0]);
  });

  it("refuses a cursor that is not a delivery of this account and mode, and names the field", async () => {
    const { id: after } = await fixture.deliver("https://hooks.example/a");
    const unknown = [randomId("whd"), "", "whd_\0"].map((id) => ({ after: id }));
    for (const wrong of [...unknown, ...strangers().map((one) => ({ ...one, after }))]) {
      const refused = await refusalOf(fixture.list(wrong));
      expect(refused).toEqual({ reason: ErrorReason.NOT_FOUND, field: "after" });
    }
  });

  it("reads few rows of a long history, with every filter", async () => {
    await fixture.schemaOwner`
      insert into delivery.webhook_deliveries (account_id, id, mode, event_id, type, generation_id, url, host, body,
        created_at, status, next_attempt_at, attempts)
      select ${fixture.owner.accountId}, 'whd_' || n, 'live', 'evt_' || n, case when n < 4 then 'rare' when n <= 6000 then 't' else 'p' end,
        'vgen_' || n, case when n < 4 then 'rare' when n <= 6000 then 'u' else 'p' end, 'h', '', timestamptz '2026-01-01' + n * interval '1 s',
        case when n < 4 then 'exhausted' when n <= 6000 then 'delivered' else 'pending' end,
        case when n > 6000 then timestamptz '2027-01-01' end, case when n > 6000 and n % 10 <> 1 then 0 else 1 end
      from generate_series(1, 9000) n`;
    await fixture.schemaOwner`analyze delivery.webhook_deliveries`;
    const base = { accountId: fixture.accountId, mode: "live" as const, limit: 11 };
    const [delivered, exhausted] = [{ status: "delivered" }, { status: "exhausted" }] as const;
    const after = { createdAt: new Date("2026-01-01T01:30:00Z"), id: "whd_5400" };
    const span = {
      createdAfter: new Date("2026-01-01T00:30:00Z"),
      createdBefore: new Date("2026-01-01T01:00:00Z"),
    };
    for (const filter of [
      {},
      { after },
      exhausted,
      { ...delivered, after },
      { generationId: "vgen_1" },
      { generationId: "vgen_2", ...delivered },
      { type: "rare" },
      { type: "t", after },
      { type: "t", ...delivered },
      { type: "rare", ...delivered },
      { type: "t", ...exhausted },
      { url: "rare" },
      { url: "u", after },
      { url: "rare", ...delivered },
      { url: "u", ...exhausted },
      { type: "rare", url: "rare" },
      span,
      { ...span, ...delivered },
    ]) {
      const list = (tx: Transaction) => listDeliveries(tx, { ...base, ...filter });
      const read = await rowsRead(fixture.sql, "delivery.webhook_deliveries", list);
      expect(read).toBeLessThanOrEqual(22);
    }
  });
});

describe("a delivery", () => {
  it("has its event, its status, and each attempt with its outcome", async () => {
    const made = await fixture.sent({ status: 503, body: 'später \u0007"' });
    const { id, eventId, type, generationId, url } = made;
    const at = timestampFromDate(fixture.clock.now());
    const shown = await fixture.get(made.id);
    expect(shown).toMatchObject({ id, eventId, type, generationId, url });
    expect(shown).toMatchObject({
      status: PENDING,
      createdAt: at,
      attempts: [{ at, statusCode: 503, durationMs: 0, responseBody: 'später \u0007"' }],
      nextAttemptAt: timestampFromDate(addMs(fixture.clock.now(), 5_000)),
    });
    expect(shown?.attempts[0]?.error).toBeUndefined();

    fixture.clock.advance(5_000);
    await fixture.sendDue();
    const ended = await fixture.get(made.id);
    expect(ended?.status).toBe(DELIVERED);
    expect(ended?.nextAttemptAt).toBeUndefined();
    expect(ended?.attempts.map(({ statusCode }) => statusCode)).toEqual([503, 200]);
    expect((await fixture.list()).deliveries).toEqual([ended]);
  });

  it("is found by its id and by that of its event, with what is sent, for the same account and mode only", async () => {
    const { receiver, ...made } = await fixture.sent();
    await fixture.deliver(receiver.url);
    await fixture.sendDue();
    const find = (deliveryId: string, change: object = {}) =>
      fixture.rpc.getDelivery({ ...fixture.owner, deliveryId, ...change });
    const notFound = { reason: ErrorReason.NOT_FOUND, field: "delivery_id" };
    for (const id of [made.id, made.eventId]) {
      const found = await find(id);
      expect([found.delivery?.id, found.body]).toEqual([made.id, made.body.toString()]);
      for (const change of strangers()) {
        expect(await refusalOf(find(id, change))).toEqual(notFound);
        expect(await refusalOf(fixture.redeliver(id, change))).toEqual(notFound);
      }
    }
    for (const id of [randomId("whd"), randomId("evt"), "whd_\0", made.id.toUpperCase()]) {
      expect(await refusalOf(find(id))).toEqual(notFound);
      expect(await refusalOf(fixture.redeliver(id))).toEqual(notFound);
    }
    expect([await fixture.sendDue(), fixture.seen.wakes]).toEqual([0, 0]);
  });

  it("has its latest 25 attempts if there are more", async () => {
    const made = await fixture.deliver("https://hooks.example/a");
    await fixture.sql`
      insert into delivery.webhook_attempts (account_id, delivery_id, number, at, status_code, duration_ms)
      select ${fixture.owner.accountId}, ${made.id}, n, now(), 200, n from generate_series(1, 300) n`;
    const shown = await fixture.get(made.id);
    expect(shown?.attempts.map(({ durationMs }) => durationMs)).toEqual(
      Array.from({ length: 25 }, (_, index) => 276 + index),
    );
  });
});

describe("a redelivery", () => {
  it("is one more attempt at once, with the same bytes and the same id", async () => {
    const { receiver, ...made } = await fixture.sent();
    fixture.clock.advance(3_600_000);

    const nextAttemptAt = timestampFromDate(fixture.clock.now());
    const redelivered = await fixture.redeliver(made.id);
    expect(redelivered).toMatchObject({ id: made.id, status: PENDING, nextAttemptAt });
    expect(fixture.seen.wakes).toBe(1);
    expect(await fixture.sendDue()).toBe(1);

    const [first, second] = receiver.received;
    expect(second?.body).toEqual(first?.body);
    expect(second?.headers["webhook-id"]).toBe(made.eventId);
    expect(second?.headers["webhook-timestamp"]).not.toBe(first?.headers["webhook-timestamp"]);
    const shown = await fixture.get(made.id);
    expect(shown?.status).toBe(DELIVERED);
    expect(shown?.attempts).toHaveLength(2);
  });

  it("changes nothing while an attempt is due or under way, and concurrent calls make one attempt", async () => {
    const answer = Promise.withResolvers<number>();
    const receiver = await fixture.receiver(answer.promise);
    const made = await fixture.deliver(receiver.url);
    const due = await fixture.get(made.id);
    expect(await fixture.redeliver(made.id)).toEqual(due);
    const sending = fixture.sendDue();
    await receiver.has(1);
    await fixture.redeliver(made.id);
    answer.resolve(200);
    expect(await sending).toBe(1);
    expect(await fixture.sendDue()).toBe(0);

    await Promise.all(Array.from({ length: 8 }, () => fixture.redeliver(made.id)));
    expect(await fixture.sendDue()).toBe(1);
    expect(await fixture.sendDue()).toBe(0);
    expect(receiver.received).toHaveLength(2);
    expect(fixture.seen.wakes).toBe(1);
  });

  it("that fails, of a delivery that is to be tried again, leaves the schedule as it was", async () => {
    const made = await fixture.sent(...repeated(20, 500));
    for (let scheduled = 2; scheduled <= 8; scheduled++) {
      const before = await fixture.get(made.id);
      fixture.clock.advance(1_000);
      await fixture.redeliver(made.id);
      expect(await fixture.sendDue()).toBe(1);
      const after = await fixture.get(made.id);
      expect(after).toMatchObject({ status: PENDING, nextAttemptAt: before?.nextAttemptAt });
      expect(after?.attempts).toHaveLength((scheduled - 1) * 2);
      expect(await fixture.sendDue()).toBe(0);
      fixture.clock.advance(msOf(before?.nextAttemptAt) - fixture.clock.now().getTime());
      expect(await fixture.sendDue()).toBe(1);
    }
    expect(await fixture.get(made.id)).toMatchObject({ status: EXHAUSTED });
  });

  it("that succeeds ends the schedule", async () => {
    const made = await fixture.sent(500);
    await fixture.redeliver(made.id);
    expect(await fixture.sendDue()).toBe(1);
    expect(await fixture.get(made.id)).toMatchObject({ status: DELIVERED });
    fixture.clock.advance(24 * 3_600_000);
    expect(await fixture.sendDue()).toBe(0);
  });

  it("whose sender is lost is made again, and the schedule goes on as it was", async () => {
    const made = await fixture.sent(500, 500, 500);
    fixture.clock.advance(5_000);
    await fixture.sendDue();
    const before = await fixture.get(made.id);
    await fixture.redeliver(made.id);
    expect(await fixture.sender.claim(64)).toHaveLength(1);
    fixture.clock.advance(60_000);
    expect(await fixture.sendDue()).toBe(1);
    const after = await fixture.get(made.id);
    expect(after).toMatchObject({ status: PENDING, nextAttemptAt: before?.nextAttemptAt });
  });

  it.each([
    ["delivered", DELIVERED, [200]],
    ["exhausted", EXHAUSTED, repeated(8, 500)],
  ])("that fails leaves it %s, without another attempt", async (_, before, replies) => {
    const receiver = await fixture.receiver(...replies, 503, 503);
    const made = await fixture.deliver(receiver.url);
    for (const _reply of replies) {
      await fixture.sendDue();
      fixture.clock.advance(11 * 3_600_000);
    }
    for (const attempts of [replies.length + 1, replies.length + 2]) {
      await fixture.redeliver(made.id);
      const failing = (await fixture.list({ failing: true })).deliveries;
      expect(failing).toHaveLength(before === EXHAUSTED ? 1 : 0);
      expect(await fixture.sendDue()).toBe(1);
      const shown = await fixture.get(made.id);
      expect(shown).toMatchObject({ status: before });
      expect(shown?.attempts).toHaveLength(attempts);
      fixture.clock.advance(11 * 3_600_000);
      expect(await fixture.sendDue()).toBe(0);
    }
    await fixture.redeliver(made.id);
    await fixture.sendDue();
    expect(await fixture.get(made.id)).toMatchObject({ status: DELIVERED });
  });

  it("that is answered 410 disables the URL, and leaves the delivery delivered", async () => {
    const made = await fixture.sent(200, 410);
    await fixture.redeliver(made.id);
    await fixture.sendDue();
    expect(await fixture.get(made.id)).toMatchObject({ status: DELIVERED });
    const refused = await refusalOf(fixture.redeliver(made.id));
    expect(refused.reason).toBe(ErrorReason.WEBHOOK_URL_DISABLED);
  });

  it("is refused while that URL is disabled, even if the delivery is pending", async () => {
    const { receiver, ...delivered } = await fixture.sent();
    const arrived = await fixture.deliver(receiver.url);
    await fixture.sendDue();
    await fixture.redeliver(arrived.id);
    await fixture.disable(receiver.url);
    const pending = await fixture.deliver(receiver.url);
    for (const { id } of [delivered, pending]) {
      const unchanged = await fixture.get(id);
      const refused = await refusalOf(fixture.redeliver(id));
      expect(refused.reason).toBe(ErrorReason.WEBHOOK_URL_DISABLED);
      expect(await fixture.get(id)).toEqual(unchanged);
    }
    await fixture.sendDue();
    expect(await fixture.get(pending.id)).toMatchObject({ status: DISABLED });
    expect(await fixture.get(arrived.id)).toMatchObject({ status: DELIVERED });
  });
});
