/** Redeliver: an account asks for one of its webhooks again. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { DeliveryStatus } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { testDatabase } from "../../support/database.ts";
import { startReceiver } from "../../support/receiver.ts";
import { logBench, refusalOf } from "./log-fixture.ts";

const { PENDING, DELIVERED, EXHAUSTED, DISABLED } = DeliveryStatus;
let database: Awaited<ReturnType<typeof testDatabase>>;

beforeAll(async () => {
  database = await testDatabase("delivery");
});
afterAll(() => database[Symbol.asyncDispose]());

const status = (code: number) => ({ status: code });

describe("a redelivery", () => {
  it("W11: is one more attempt at once, of the same bytes under the same id", async () => {
    await using it = await logBench(database);
    await using receiver = await startReceiver();
    const made = await it.bench.deliver(receiver.url);
    await it.bench.sendDue();
    it.bench.clock.advance(3_600_000);

    const asked = await it.redeliver(made.id);
    expect(asked).toMatchObject({ id: made.id, status: PENDING });
    expect(asked?.nextAttemptAt && timestampDate(asked.nextAttemptAt)).toEqual(
      it.bench.clock.now(),
    );
    expect(it.seen.rings).toBe(1);
    expect(await it.bench.sendDue()).toBe(1);

    const [first, second] = receiver.received;
    expect(second?.body).toEqual(first?.body);
    expect(second?.headers["webhook-id"]).toBe(made.eventId);
    expect(second?.headers["webhook-timestamp"]).not.toBe(first?.headers["webhook-timestamp"]);
    const shown = await it.get(made.id);
    expect(shown?.status).toBe(DELIVERED);
    expect(shown?.attempts).toHaveLength(2);
  });

  it("W11: changes nothing while an attempt is pending, however many ask at once", async () => {
    await using it = await logBench(database);
    await using receiver = await startReceiver(status(500));
    const made = await it.bench.deliver(receiver.url);
    await it.bench.sendDue();
    const before = await it.get(made.id);
    expect(await it.redeliver(made.id)).toEqual(before);
    expect(await it.bench.sendDue()).toBe(0);

    it.bench.clock.advance(5_000);
    await it.bench.sendDue();
    await Promise.all(Array.from({ length: 8 }, () => it.redeliver(made.id)));
    expect(await it.bench.sendDue()).toBe(1);
    expect(await it.bench.sendDue()).toBe(0);
    expect(receiver.received).toHaveLength(3);
    expect(it.seen.rings).toBe(1);
  });

  it.each([
    ["delivered before", [status(200)]],
    ["exhausted before", Array.from({ length: 8 }, () => status(500))],
  ])("that fails ends exhausted, with no attempt after it, where it was %s", async (_, replies) => {
    await using it = await logBench(database);
    await using receiver = await startReceiver(...replies, status(503), status(503));
    const made = await it.bench.deliver(receiver.url);
    for (const _reply of replies) {
      await it.bench.sendDue();
      it.bench.clock.advance(11 * 3_600_000);
    }
    for (const attempts of [replies.length + 1, replies.length + 2]) {
      await it.redeliver(made.id);
      expect(await it.bench.sendDue()).toBe(1);
      const shown = await it.get(made.id);
      expect(shown).toMatchObject({ status: EXHAUSTED });
      expect(shown?.attempts).toHaveLength(attempts);
      it.bench.clock.advance(11 * 3_600_000);
      expect(await it.bench.sendDue()).toBe(0);
    }
    await it.redeliver(made.id);
    await it.bench.sendDue();
    expect(await it.get(made.id)).toMatchObject({ status: DELIVERED });
  });

  it("that is answered 410 disables the URL", async () => {
    await using it = await logBench(database);
    await using receiver = await startReceiver(status(200), status(410));
    const made = await it.bench.deliver(receiver.url);
    await it.bench.sendDue();
    await it.redeliver(made.id);
    await it.bench.sendDue();
    expect(await it.get(made.id)).toMatchObject({ status: DISABLED });
    const refused = await refusalOf(it.redeliver(made.id));
    expect(refused.reason).toBe(ErrorReason.WEBHOOK_URL_DISABLED);
  });

  it("W10: is refused on a disabled URL of that account and mode, that exact string, pending or not", async () => {
    await using it = await logBench(database);
    await using receiver = await startReceiver();
    const delivered = await it.bench.deliver(receiver.url);
    const other = await it.bench.deliver(`${receiver.url}?other`);
    const otherMode = await it.bench.deliver(receiver.url, { mode: "test" });
    await it.bench.sendDue();
    await it.bench.sql`
      insert into delivery.disabled_urls (account_id, mode, url_sha256, url, disabled_at)
      values (${it.of.accountId}, 'live', sha256(convert_to(${receiver.url}, 'UTF8')), ${receiver.url}, now())`;
    const pending = await it.bench.deliver(receiver.url);

    for (const { id } of [delivered, pending]) {
      const unchanged = await it.get(id);
      const refused = await refusalOf(it.redeliver(id));
      expect(refused.reason).toBe(ErrorReason.WEBHOOK_URL_DISABLED);
      expect(await it.get(id)).toEqual(unchanged);
    }
    expect(await it.redeliver(other.id)).toMatchObject({ status: PENDING });
    expect(await it.redeliver(otherMode.id, { mode: Mode.TEST })).toMatchObject({
      status: PENDING,
    });
  });
});
