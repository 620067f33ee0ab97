/** Signing secrets that cannot be read: their webhooks wait, those of others do not, and a rotation ends it. */
import { describe, expect, it } from "vitest";
import { addMs } from "#runtime/clock.ts";
import { newSecret } from "../../../services/delivery/domain/signature.ts";
import { readWebhookFigures } from "../../../services/delivery/store/webhook-figures.ts";
import { insertSecret } from "../../../services/delivery/store/webhook-secrets.ts";
import { secretBox } from "../../../services/delivery/webhook/secret-box.ts";
import { newAccountId } from "../../support/account.ts";
import { startReceiver } from "../../support/receiver.ts";
import { logFixture } from "./log-fixture.ts";
import { deliveryDatabase, isSignedWith } from "./sender-fixture.ts";

const WAIT_MS = 300_000;
const database = deliveryDatabase();

/** The fixture's account has a secret in live mode that a lost key has encrypted. */
async function lostKeyFixture() {
  const fixture = await logFixture(database());
  const context = { accountId: fixture.accountId, mode: "live" as const, number: 1 };
  const lost = secretBox([Buffer.alloc(32, 9)]);
  await insertSecret(fixture.sql, context, lost.seal(context, newSecret()), fixture.clock.now());
  return fixture;
}

describe("webhooks whose account's secret cannot be read", () => {
  it("wait without an attempt, while other accounts and the other mode get theirs at once", async () => {
    await using fixture = await lostKeyFixture();
    await using receiver = await startReceiver();
    const waiting = [await fixture.deliver(receiver.url), await fixture.deliver(receiver.url)];
    const sent = [
      await fixture.deliver(receiver.url, { accountId: newAccountId() }),
      await fixture.deliver(receiver.url, { mode: "test" }),
    ];
    expect(await fixture.sendDue()).toBe(4);

    for (const one of sent)
      expect(await fixture.stateOf(one)).toMatchObject({ status: "delivered" });
    expect(receiver.received).toHaveLength(2);
    expect(await readWebhookFigures(fixture.sql, fixture.clock.now())).toEqual({
      ready: 0,
      planned: 2,
      oldest: undefined,
    });
    const due = addMs(fixture.clock.now(), WAIT_MS);
    for (const one of waiting) {
      expect(await fixture.stateOf(one)).toEqual({
        status: "pending",
        attemptCount: 0,
        nextAttemptAt: due,
        attempts: [],
      });
    }
    fixture.clock.advance(WAIT_MS - 1);
    expect(await fixture.sendDue()).toBe(0);
    fixture.clock.advance(1);
    expect(await fixture.sendDue()).toBe(2);
  });

  it("are never given up, and go out signed with the new secret alone after a rotation", async () => {
    await using fixture = await lostKeyFixture();
    await using receiver = await startReceiver();
    const delivery = await fixture.deliver(receiver.url);
    for (let day = 0; day < 10; day++) {
      await fixture.sendDue();
      fixture.clock.advance(24 * 3_600_000);
    }
    const rotated = await fixture.rpc.rotateWebhookSecret(fixture.owner);
    expect(rotated).toMatchObject({ version: 2 });
    expect(rotated.olderValidUntil).toBeUndefined();
    const { secret } = await fixture.rpc.getWebhookSecret(fixture.owner);
    expect(secret).toBe(rotated.secret);

    expect(await fixture.sendDue()).toBe(1);
    expect(await fixture.stateOf(delivery)).toMatchObject({
      status: "delivered",
      attemptCount: 1,
      attempts: [{ statusCode: 200 }],
    });
    const [request] = receiver.received;
    expect(request && isSignedWith(rotated.secret, request)).toBe(true);
    expect(String(request?.headers["webhook-signature"]).split(" ")).toHaveLength(1);
  });
});
