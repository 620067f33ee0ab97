/** SendAlert: what receivers get of alerts about Tokens, and that each is one event. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { AlertSchema, LimitPeriod } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { randomId } from "#runtime/id.ts";
import { eventViolations } from "../../support/answer-checks.ts";
import { startReceiver } from "../../support/receiver.ts";
import { refusalOf } from "../test-deps.ts";
import { isSignedWith, webhookFixture } from "../webhook/webhook-fixture.ts";

const fixture = webhookFixture();

const timestamp = "2026-11-17T12:02:06.481Z";
const resetsAt = "2026-11-18T00:00:00.000Z";

const alertOf = (accountId: string, what: MessageInitShape<typeof AlertSchema>["what"]) =>
  create(AlertSchema, {
    accountId,
    eventId: randomId("evt"),
    at: timestampFromDate(new Date(timestamp)),
    ...(what && { what }),
  });

const limitOf = (keyId: string) => ({
  keyId,
  period: LimitPeriod.DAY,
  tokens: 100_000n,
  used: 80_200n,
  resetsAt: timestampFromDate(new Date(resetsAt)),
});

const LOW = {
  case: "lowBalance",
  value: { balance: { available: 9_500n, reserved: 500n }, threshold: 10_000n },
} as const;

describe("an alert", () => {
  it("is sent as the document describes its event, signed with the secret of live mode, under its own id", async () => {
    await using receiver = await startReceiver();
    const { accountId, rpc, owner } = fixture;
    const keyId = randomId("key");
    const alerts = [
      alertOf(accountId, LOW),
      alertOf(accountId, { case: "reachedLimit", value: { limit: limitOf(""), percent: 80 } }),
      alertOf(accountId, { case: "reachedLimit", value: { limit: limitOf(keyId), percent: 100 } }),
    ];
    for (const alert of alerts) {
      await rpc.sendAlert({ alert, url: receiver.url });
      await fixture.sendDue();
    }
    expect(fixture.seen.wakes).toBe(3);
    const limit = { period: "day", tokens: 100_000, used: 80_200, resets_at: resetsAt };
    const bodies = receiver.received.map(({ body }) => body.toString());
    expect(bodies.map((body) => JSON.parse(body) as object)).toEqual([
      {
        type: "balance.low",
        timestamp,
        data: { available: 9_500, reserved: 500, threshold: 10_000 },
      },
      {
        type: "limit.reached",
        timestamp,
        data: { percent: 80, limit: { scope: "account", ...limit } },
      },
      {
        type: "limit.reached",
        timestamp,
        data: { percent: 100, limit: { scope: "key", key_id: keyId, ...limit } },
      },
    ]);
    expect(bodies.flatMap(eventViolations)).toEqual([]);
    expect(receiver.received.map(({ headers }) => headers["webhook-id"])).toEqual(
      alerts.map(({ eventId }) => eventId),
    );
    const { secret } = await rpc.getWebhookSecret({ ...owner, mode: Mode.LIVE });
    expect(receiver.received.every((request) => isSignedWith(secret, request))).toBe(true);
  });

  it("that comes again is the same event, which is sent once and retried like any other", async () => {
    await using receiver = await startReceiver({ status: 500 });
    const alert = alertOf(fixture.accountId, LOW);
    const send = () => fixture.rpc.sendAlert({ alert, url: receiver.url });
    await send();
    await send();
    expect(await fixture.sendDue()).toBe(1);
    fixture.clock.advance(5_000);
    expect(await fixture.sendDue()).toBe(1);
    const [first, second] = receiver.received;
    expect(second?.body).toEqual(first?.body);
    expect(second?.headers["webhook-id"]).toBe(alert.eventId);
    expect((await fixture.list()).deliveries).toMatchObject([
      { eventId: alert.eventId, type: "balance.low" },
    ]);
  });

  it("is refused for a URL that webhooks may not be sent to, and without what happened", async () => {
    fixture.forbidLoopback();
    const { accountId, rpc } = fixture;
    const url = "https://127.0.0.1/hook";
    expect(await refusalOf(rpc.sendAlert({ alert: alertOf(accountId, LOW), url }))).toEqual({
      reason: ErrorReason.INVALID_FIELD,
      field: "url",
    });
    const empty = alertOf(accountId, undefined);
    expect((await refusalOf(rpc.sendAlert({ alert: empty, url }))).field).toBe("alert");
    expect((await fixture.list()).deliveries).toEqual([]);
  });
});
