/** URLs whose attempts all fail are disabled after five days; others are not. */
import { describe, expect, it } from "vitest";
import { DeliveryStatus, DisabledReason } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { startReceiver } from "../../support/receiver.ts";
import { logFixture } from "./log-fixture.ts";
import { deliveryDatabase } from "./sender-fixture.ts";

const HOUR_MS = 3_600_000;
/** The steps of a whole schedule, each a little longer than its longest wait. */
const STEPS_MS = [
  0,
  6_000,
  360_000,
  2_400_000,
  3 * HOUR_MS,
  7 * HOUR_MS,
  14 * HOUR_MS,
  14 * HOUR_MS,
];
const database = deliveryDatabase();

/** The log fixture with a receiver that always fails and one that never does. */
async function setUp() {
  await using stack = new AsyncDisposableStack();
  const fixture = stack.use(await logFixture(database()));
  const healthy = stack.use(await startReceiver());
  const failing = stack.use(
    await startReceiver(...Array.from({ length: 200 }, () => ({ status: 500 }))),
  );
  /** Sends a delivery until it is exhausted. */
  const exhaust = async (url: string) => {
    const made = await fixture.deliver(url);
    for (const stepMs of STEPS_MS) {
      fixture.clock.advance(stepMs);
      await fixture.sendDue();
    }
    expect(await fixture.get(made.id)).toMatchObject({ status: DeliveryStatus.EXHAUSTED });
    return made;
  };
  const disabled = async () =>
    (await fixture.rpc.listDisabledUrls({ ...fixture.owner, limit: 100 })).urls;
  const moved = stack.move();
  return {
    ...fixture,
    failingUrl: failing.url,
    healthyUrl: healthy.url,
    exhaust,
    disabled,
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

describe("a URL whose attempts all fail", () => {
  it("is disabled by the first delivery that is exhausted after five days, for its account and mode", async () => {
    await using fixture = await setUp();
    const { failingUrl } = fixture;
    for (let hours = 0; hours < 5 * 24 - 39; hours += 39) await fixture.exhaust(failingUrl);
    expect(await fixture.disabled()).toEqual([]);
    await fixture.exhaust(failingUrl);
    const disabled = [{ url: failingUrl, reason: DisabledReason.FAILING }];
    expect(await fixture.disabled()).toMatchObject(disabled);
    const later = await fixture.deliver(failingUrl);
    const otherMode = await fixture.deliver(failingUrl, { mode: "test" });
    await fixture.sendDue();
    expect(await fixture.get(later.id)).toMatchObject({ status: DeliveryStatus.DISABLED });
    expect(await fixture.stateOf(otherMode)).toMatchObject({ status: "pending" });
  });

  it("counts its five days again from the start after one success, and after it is enabled again", async () => {
    await using fixture = await setUp();
    await using receiver = await startReceiver(
      ...Array.from({ length: 8 * 3 }, () => ({ status: 503 })),
      { status: 200 },
      ...Array.from({ length: 8 * 9 }, () => ({ status: 503 })),
    );
    for (let round = 0; round < 3; round++) await fixture.exhaust(receiver.url);
    await fixture.deliver(receiver.url);
    await fixture.sendDue();
    for (let round = 0; round < 3; round++) await fixture.exhaust(receiver.url);
    expect(await fixture.disabled()).toEqual([]);
    await fixture.exhaust(receiver.url);
    expect(await fixture.disabled()).toHaveLength(1);
    await fixture.rpc.enableUrl({ ...fixture.owner, url: receiver.url });
    for (let round = 0; round < 3; round++) await fixture.exhaust(receiver.url);
    expect(await fixture.disabled()).toEqual([]);
  });

  it("is not disabled by redeliveries that fail, however many and however late", async () => {
    await using fixture = await setUp();
    const made = await fixture.exhaust(fixture.failingUrl);
    for (let day = 0; day < 8; day++) {
      fixture.clock.advance(24 * HOUR_MS);
      await fixture.redeliver(made.id);
      await fixture.sendDue();
    }
    expect((await fixture.get(made.id))?.attempts).toHaveLength(16);
    expect(await fixture.disabled()).toEqual([]);
    const [before] = await fixture.sql`select failing_since from delivery.webhook_urls`;
    expect(before?.["failingSince"]).toEqual(made.at);
  });
});
