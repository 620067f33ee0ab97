/** A URL that does nothing but fail: disabled after five days, never by what is not its fault. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DeliveryStatus, DisabledReason } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { testDatabase } from "../../support/database.ts";
import { startReceiver } from "../../support/receiver.ts";
import { logBench } from "./log-fixture.ts";

const HOUR_MS = 3_600_000;
/** As long as a whole schedule can take, and a little more: 28 h. */
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
let database: Awaited<ReturnType<typeof testDatabase>>;

beforeAll(async () => {
  database = await testDatabase("delivery");
});
afterAll(() => database[Symbol.asyncDispose]());

/** Receivers answer as `status` says at the moment. */
async function setUp() {
  await using stack = new AsyncDisposableStack();
  const it = stack.use(await logBench(database));
  const receiver = stack.use(await startReceiver());
  const failing = stack.use(
    await startReceiver(...Array.from({ length: 200 }, () => ({ status: 500 }))),
  );
  const exhaust = async (url: string) => {
    const made = await it.bench.deliver(url);
    for (const stepMs of STEPS_MS) {
      it.bench.clock.advance(stepMs);
      await it.bench.sendDue();
    }
    expect(await it.get(made.id)).toMatchObject({ status: DeliveryStatus.EXHAUSTED });
    return made;
  };
  const disabled = async () => (await it.rpc.listDisabledUrls({ ...it.of, limit: 100 })).urls;
  const moved = stack.move();
  return {
    it,
    url: failing.url,
    healthy: receiver.url,
    exhaust,
    disabled,
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

describe("a URL that only fails", () => {
  it("W9: is disabled with the first delivery that is exhausted after five days, for its account and mode", async () => {
    await using its = await setUp();
    const { it: bench } = its;
    for (let hours = 0; hours < 5 * 24 - 39; hours += 39) await its.exhaust(its.url);
    expect(await its.disabled()).toEqual([]);
    await its.exhaust(its.url);
    expect(await its.disabled()).toMatchObject([{ url: its.url, reason: DisabledReason.FAILING }]);
    const later = await bench.bench.deliver(its.url);
    const otherMode = await bench.bench.deliver(its.url, { mode: "test" });
    await bench.bench.sendDue();
    expect(await bench.get(later.id)).toMatchObject({ status: DeliveryStatus.DISABLED });
    expect(await bench.bench.stateOf(otherMode)).toMatchObject({ status: "pending" });
  });

  it("W9: begins anew with one success, and when it is enabled again", async () => {
    await using its = await setUp();
    const { bench, rpc, of } = its.it;
    await using receiver = await startReceiver(
      ...Array.from({ length: 8 * 3 }, () => ({ status: 503 })),
      { status: 200 },
      ...Array.from({ length: 8 * 9 }, () => ({ status: 503 })),
    );
    for (let round = 0; round < 3; round++) await its.exhaust(receiver.url);
    await bench.deliver(receiver.url);
    await bench.sendDue();
    for (let round = 0; round < 3; round++) await its.exhaust(receiver.url);
    expect(await its.disabled()).toEqual([]);
    await its.exhaust(receiver.url);
    expect(await its.disabled()).toHaveLength(1);
    await rpc.enableUrl({ ...of, url: receiver.url });
    for (let round = 0; round < 3; round++) await its.exhaust(receiver.url);
    expect(await its.disabled()).toEqual([]);
  });

  it("W9: is not disabled by redeliveries that fail, however many and however late", async () => {
    await using its = await setUp();
    const { it } = its;
    const made = await its.exhaust(its.url);
    for (let day = 0; day < 8; day++) {
      it.bench.clock.advance(24 * HOUR_MS);
      await it.redeliver(made.id);
      await it.bench.sendDue();
    }
    expect((await it.get(made.id))?.attempts).toHaveLength(16);
    expect(await its.disabled()).toEqual([]);
    const [before] = await it.bench.sql`select failing_since from delivery.failing_urls`;
    expect(before?.["failing_since"]).toEqual(made.at);
  });

  it("W9: leaves alone one that fails now and then", async () => {
    await using its = await setUp();
    const { bench } = its.it;
    for (let day = 0; day < 8; day++) {
      bench.clock.advance(24 * HOUR_MS);
      await bench.deliver(its.healthy);
      await bench.sendDue();
    }
    expect(await its.disabled()).toEqual([]);
    expect(await bench.sql`select 1 as one from delivery.failing_urls`).toEqual([]);
  });
});
