/** Redeliver: an attempt at once, for a delivery that has ended or is to be tried again later. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { DeliveryStatus } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { startHttp } from "../../support/http-server.ts";
import { startReceiver } from "../../support/receiver.ts";
import { refusalOf } from "../test-deps.ts";
import { webhookFixture } from "./webhook-fixture.ts";

const { PENDING, DELIVERED, EXHAUSTED, DISABLED } = DeliveryStatus;
const fixture = webhookFixture();

const status = (code: number) => ({ status: code });

describe("a redelivery", () => {
  it("is one more attempt at once, with the same bytes and the same id", async () => {
    await using receiver = await startReceiver();
    const made = await fixture.deliver(receiver.url);
    await fixture.sendDue();
    fixture.clock.advance(3_600_000);

    const redelivered = await fixture.redeliver(made.id);
    expect(redelivered).toMatchObject({ id: made.id, status: PENDING });
    expect(redelivered?.nextAttemptAt && timestampDate(redelivered.nextAttemptAt)).toEqual(
      fixture.clock.now(),
    );
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
    const [arrived, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let received = 0;
    await using receiver = await startHttp((_request, response) => {
      received += 1;
      arrived.resolve();
      void answer.promise.then(() => response.end());
    });
    const made = await fixture.deliver(receiver.url);
    const due = await fixture.get(made.id);
    expect(await fixture.redeliver(made.id)).toEqual(due);
    const sending = fixture.sendDue();
    await arrived.promise;
    await fixture.redeliver(made.id);
    answer.resolve();
    expect(await sending).toBe(1);
    expect(await fixture.sendDue()).toBe(0);

    await Promise.all(Array.from({ length: 8 }, () => fixture.redeliver(made.id)));
    expect(await fixture.sendDue()).toBe(1);
    expect(await fixture.sendDue()).toBe(0);
    expect(received).toBe(2);
    expect(fixture.seen.wakes).toBe(1);
  });

  it("that fails, of a delivery that is to be tried again, leaves the schedule as it was", async () => {
    await using receiver = await startReceiver(...Array.from({ length: 20 }, () => status(500)));
    const made = await fixture.deliver(receiver.url);
    await fixture.sendDue();
    for (let scheduled = 2; scheduled <= 8; scheduled++) {
      const before = await fixture.get(made.id);
      fixture.clock.advance(1_000);
      await fixture.redeliver(made.id);
      expect(await fixture.sendDue()).toBe(1);
      const after = await fixture.get(made.id);
      expect(after).toMatchObject({ status: PENDING, nextAttemptAt: before?.nextAttemptAt });
      expect(after?.attempts).toHaveLength((scheduled - 1) * 2);
      expect(await fixture.sendDue()).toBe(0);
      const dueAt = before?.nextAttemptAt ? timestampDate(before.nextAttemptAt).getTime() : 0;
      fixture.clock.advance(dueAt - fixture.clock.now().getTime());
      expect(await fixture.sendDue()).toBe(1);
    }
    expect(await fixture.get(made.id)).toMatchObject({ status: EXHAUSTED });
  });

  it("that succeeds ends the schedule", async () => {
    await using receiver = await startReceiver(status(500));
    const made = await fixture.deliver(receiver.url);
    await fixture.sendDue();
    await fixture.redeliver(made.id);
    expect(await fixture.sendDue()).toBe(1);
    expect(await fixture.get(made.id)).toMatchObject({ status: DELIVERED });
    fixture.clock.advance(24 * 3_600_000);
    expect(await fixture.sendDue()).toBe(0);
  });

  it("whose sender is lost is made again, and the schedule goes on as it was", async () => {
    await using receiver = await startReceiver(status(500), status(500), status(500));
    const made = await fixture.deliver(receiver.url);
    await fixture.sendDue();
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
    ["delivered", DELIVERED, [status(200)]],
    ["exhausted", EXHAUSTED, Array.from({ length: 8 }, () => status(500))],
  ])("that fails leaves it %s, without another attempt", async (_, before, replies) => {
    await using receiver = await startReceiver(...replies, status(503), status(503));
    const made = await fixture.deliver(receiver.url);
    for (const _reply of replies) {
      await fixture.sendDue();
      fixture.clock.advance(11 * 3_600_000);
    }
    for (const attempts of [replies.length + 1, replies.length + 2]) {
      await fixture.redeliver(made.id);
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
    await using receiver = await startReceiver(status(200), status(410));
    const made = await fixture.deliver(receiver.url);
    await fixture.sendDue();
    await fixture.redeliver(made.id);
    await fixture.sendDue();
    expect(await fixture.get(made.id)).toMatchObject({ status: DELIVERED });
    const refused = await refusalOf(fixture.redeliver(made.id));
    expect(refused.reason).toBe(ErrorReason.WEBHOOK_URL_DISABLED);
  });

  it("is refused while that URL is disabled, even if the delivery is pending", async () => {
    await using receiver = await startReceiver();
    const [delivered, arrived] = [
      await fixture.deliver(receiver.url),
      await fixture.deliver(receiver.url),
    ];
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
