/** The signing secrets of an account: made once, rotated with an overlap. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { addMs } from "#runtime/clock.ts";
import { testDatabase } from "../../support/database.ts";
import { startReceiver } from "../../support/receiver.ts";
import { isSignedWith } from "./fixtures.ts";
import { logBench } from "./log-fixture.ts";

const DAY_MS = 24 * 3_600_000;
let database: Awaited<ReturnType<typeof testDatabase>>;

beforeAll(async () => {
  database = await testDatabase("delivery");
});
afterAll(() => database[Symbol.asyncDispose]());

describe("a rotation", () => {
  it("W4: twice within the overlap leaves three secrets that all verify; after it only the newest does", async () => {
    await using it = await logBench(database);
    await using receiver = await startReceiver();
    const first = await it.rpc.getWebhookSecret(it.of);
    const second = await it.rpc.rotateWebhookSecret(it.of);
    it.bench.clock.advance(DAY_MS / 2);
    const third = await it.rpc.rotateWebhookSecret(it.of);
    expect([first.version, second.version, third.version]).toEqual([1, 2, 3]);
    expect(third.olderValidUntil && timestampDate(third.olderValidUntil)).toEqual(
      addMs(it.bench.clock.now(), DAY_MS),
    );
    const verifying = async () => {
      await it.bench.deliver(receiver.url);
      await it.bench.sendDue();
      const request = receiver.received.at(-1);
      return [first, second, third].map(
        ({ secret }) => request !== undefined && isSignedWith(secret, request),
      );
    };
    expect(await verifying()).toEqual([true, true, true]);
    it.bench.clock.advance(DAY_MS / 2);
    expect(await verifying()).toEqual([false, true, true]);
    it.bench.clock.advance(DAY_MS / 2);
    expect(await verifying()).toEqual([false, false, true]);
    const last = await it.rpc.getWebhookSecret(it.of);
    expect(last).toMatchObject({ secret: third.secret, version: 3 });
    expect(last.olderValidUntil).toBeUndefined();
  });

  it("that names what it replaces happens once, however often and by however many it is asked for", async () => {
    await using it = await logBench(database);
    const { version } = await it.rpc.getWebhookSecret(it.of);
    const ask = () => it.rpc.rotateWebhookSecret({ ...it.of, replacesVersion: version });
    const answers = await Promise.all([ask(), ask(), ask()]);
    expect(new Set([...answers, await ask()].map(({ secret }) => secret)).size).toBe(1);
    expect(answers[0]?.version).toBe(version + 1);
    const unnamed = await Promise.all([1, 2].map(() => it.rpc.rotateWebhookSecret(it.of)));
    expect(Math.max(...unnamed.map((answer) => answer.version))).toBe(version + 3);
  });

  it("leaves the other mode's secret alone, and never signs with more than eleven", async () => {
    await using it = await logBench(database);
    await using receiver = await startReceiver();
    const test = { ...it.of, mode: Mode.TEST };
    const kept = await it.rpc.getWebhookSecret(test);
    for (let i = 0; i < 12; i++) await it.rpc.rotateWebhookSecret(it.of);
    expect(await it.rpc.getWebhookSecret(test)).toEqual(kept);
    await it.bench.deliver(receiver.url);
    await it.bench.sendDue();
    const signatures = String(receiver.received[0]?.headers["webhook-signature"]).split(" ");
    expect(signatures).toHaveLength(11);
  });
});
