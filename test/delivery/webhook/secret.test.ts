/** Rotation of an account's signing secrets. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { addMs } from "#runtime/clock.ts";
import { startReceiver } from "../../support/receiver.ts";
import { deliveryDatabase, isSignedWith } from "./sender-fixture.ts";
import { logFixture } from "./log-fixture.ts";

const DAY_MS = 24 * 3_600_000;
const database = deliveryDatabase();

describe("a rotation", () => {
  it("twice within a day leaves three secrets that all verify; each older one expires a day after it was replaced", async () => {
    await using fixture = await logFixture(database());
    await using receiver = await startReceiver();
    const first = await fixture.rpc.getWebhookSecret(fixture.owner);
    const second = await fixture.rpc.rotateWebhookSecret(fixture.owner);
    fixture.clock.advance(DAY_MS / 2);
    const third = await fixture.rpc.rotateWebhookSecret(fixture.owner);
    expect([first.version, second.version, third.version]).toEqual([1, 2, 3]);
    expect(third.olderValidUntil && timestampDate(third.olderValidUntil)).toEqual(
      addMs(fixture.clock.now(), DAY_MS),
    );
    const verifying = async () => {
      await fixture.deliver(receiver.url);
      await fixture.sendDue();
      const request = receiver.received.at(-1);
      return [first, second, third].map(
        ({ secret }) => request !== undefined && isSignedWith(secret, request),
      );
    };
    expect(await verifying()).toEqual([true, true, true]);
    fixture.clock.advance(DAY_MS / 2);
    expect(await verifying()).toEqual([false, true, true]);
    fixture.clock.advance(DAY_MS / 2);
    expect(await verifying()).toEqual([false, false, true]);
    const last = await fixture.rpc.getWebhookSecret(fixture.owner);
    expect(last).toMatchObject({ secret: third.secret, version: 3 });
    expect(last.olderValidUntil).toBeUndefined();
  });

  it("that names the version it replaces happens once, even with repeated and concurrent calls", async () => {
    await using fixture = await logFixture(database());
    const { version } = await fixture.rpc.getWebhookSecret(fixture.owner);
    const rotate = () =>
      fixture.rpc.rotateWebhookSecret({ ...fixture.owner, replacesVersion: version });
    const answers = await Promise.all([rotate(), rotate(), rotate()]);
    expect(new Set([...answers, await rotate()].map(({ secret }) => secret)).size).toBe(1);
    expect(answers[0]?.version).toBe(version + 1);
    const unnamed = await Promise.all(
      [1, 2].map(() => fixture.rpc.rotateWebhookSecret(fixture.owner)),
    );
    expect(Math.max(...unnamed.map((answer) => answer.version))).toBe(version + 3);
  });

  it("does not affect the other mode, and leaves at most eleven valid secrets", async () => {
    await using fixture = await logFixture(database());
    await using receiver = await startReceiver();
    const test = { ...fixture.owner, mode: Mode.TEST };
    const kept = await fixture.rpc.getWebhookSecret(test);
    for (let i = 0; i < 12; i++) await fixture.rpc.rotateWebhookSecret(fixture.owner);
    expect(await fixture.rpc.getWebhookSecret(test)).toEqual(kept);
    await fixture.deliver(receiver.url);
    await fixture.sendDue();
    const signatures = String(receiver.received[0]?.headers["webhook-signature"]).split(" ");
    expect(signatures).toHaveLength(11);
  });
});
