/** What becomes a webhook: the end of a generation and an alert, each once per event id. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { ConnectError } from "@connectrpc/connect";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { type GenerationSchema, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { randomId } from "#runtime/id.ts";
import { openPool } from "../../support/database.ts";
import { eventViolations } from "../../support/answer-checks.ts";
import { refusalOf, rpcOf, testDeps } from "../test-deps.ts";
import { webhookFixture, isSignedWith } from "../webhook/webhook-fixture.ts";
import { AlertSchema, LimitPeriod } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { finishedEvent } from "../finished-event.ts";

const fixture = webhookFixture();

const accept = (event: Finished) => fixture.rpc.acceptEnd({ finished: event });

function imageWith(webhookUrl: string): MessageInitShape<typeof GenerationSchema> {
  const input = { prompt: "a cat", size: "1024x1024", promptExtend: true, webhookUrl };
  return { id: randomId("igen"), input: { case: "image", value: input } };
}

type Finished = ReturnType<typeof finishedEvent>;

async function deliveriesOf(event: Finished) {
  const rows = await fixture.sql<{ body: Buffer; type: string; url: string; host: string }[]>`
    select d.id, d.mode, d.event_id, d.type, d.generation_id, d.url, d.host, d.body, d.status
    from delivery.webhook_deliveries d
    where d.account_id = ${event.generation?.accountId ?? ""}`;
  return rows.map((row) => ({ ...row }));
}

describe("the end of a generation", () => {
  it("with a webhook_url becomes one due delivery with the public object as its body, before the answer", async () => {
    const event = finishedEvent();
    await accept(event);
    const rows = await deliveriesOf(event);
    expect(rows).toMatchObject([
      {
        id: expect.stringMatching(/^whd_[0-9a-z]{26}$/) as string,
        mode: "test",
        eventId: event.eventId,
        type: "video.generation.completed",
        generationId: event.generation?.id,
        url: "https://hooks.example:8443/a?b=c",
        host: "hooks.example:8443",
        status: "pending",
      },
    ]);
    const body: unknown = JSON.parse(rows[0]?.body.toString("utf8") ?? "");
    expect(body).toMatchObject({
      type: "video.generation.completed",
      timestamp: "2026-11-21T12:00:00.123Z",
      data: {
        id: event.generation?.id,
        object: "video.generation",
        status: "success",
        output: [{ url: "https://media.example/assets/abc.mp4" }],
        input: { prompt: "ein Fluß, 川 and 🦊" },
      },
    });
    expect(Object.keys(body as object)).toEqual(["type", "timestamp", "data"]);
    expect(fixture.seen.wakes).toBe(1);
  });

  it("becomes one delivery however often it comes", async () => {
    const event = finishedEvent();
    await Promise.all([accept(event), accept(event), accept(event)]);
    await accept(event);
    expect(await deliveriesOf(event)).toHaveLength(1);
  });

  it("becomes no delivery without a webhook_url", async () => {
    const input = { prompt: "p", size: "1024x1024", promptExtend: true };
    const event = finishedEvent({ input: { case: "image", value: input } });
    await accept(event);
    expect([await deliveriesOf(event), fixture.seen.wakes]).toEqual([[], 0]);
  });

  it.each([
    [Status.SUCCESS, "completed"],
    [Status.FAILED, "failed"],
    [Status.CANCELED, "canceled"],
  ] as const)("with status %d becomes an event of its kind that is %s", async (status, end) => {
    for (const [kind, change] of [
      ["video", {}],
      ["image", imageWith("https://hooks.example/")],
    ] as const) {
      const event = finishedEvent({ ...change, status, output: [] });
      await accept(event);
      const type = `${kind}.generation.${end}`;
      const rows = await deliveriesOf(event);
      expect(rows.map((row) => row.type)).toEqual([type]);
      const body = rows[0]?.body.toString() ?? "";
      expect(JSON.parse(body)).toMatchObject({ type, data: { object: `${kind}.generation` } });
      expect(eventViolations(body)).toEqual([]);
    }
  });

  it("is refused while the database cannot be reached", async () => {
    const sql = openPool(fixture.url);
    await sql.end();
    const wakeSender = () => expect.unreachable();
    const rpc = rpcOf(testDeps({ ...fixture, sql, wakeSender }));
    await expect(rpc.acceptEnd({ finished: finishedEvent() })).rejects.toThrow(ConnectError);
  });
});

const timestamp = "2026-11-17T12:02:06.481Z";
const resetsAt = "2026-11-18T00:00:00.000Z";

const alertOf = (accountId: string, what: MessageInitShape<typeof AlertSchema>["what"]) =>
  create(AlertSchema, {
    accountId,
    eventId: randomId("evt"),
    at: timestampFromDate(new Date(timestamp)),
    ...(what && { what }),
  });

const limitOf = (keyId: string) => {
  const figures = { period: LimitPeriod.DAY, tokens: 100_000n, used: 80_200n };
  return { keyId, ...figures, resetsAt: timestampFromDate(new Date(resetsAt)) };
};

const LOW = {
  case: "lowBalance",
  value: { balance: { available: 9_500n, reserved: 500n }, threshold: 10_000n },
} as const;

describe("an alert", () => {
  it("is sent as the document describes its event, signed with the secret of live mode, under its own id", async () => {
    const receiver = await fixture.receiver();
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
    const eventOf = (type: string, data: object) => ({ type, timestamp, data });
    expect(bodies.map((body) => JSON.parse(body) as object)).toEqual([
      eventOf("balance.low", { available: 9_500, reserved: 500, threshold: 10_000 }),
      eventOf("limit.reached", { percent: 80, limit: { scope: "account", ...limit } }),
      eventOf("limit.reached", { percent: 100, limit: { scope: "key", key_id: keyId, ...limit } }),
    ]);
    expect(bodies.flatMap(eventViolations)).toEqual([]);
    expect(receiver.received.map(({ headers }) => headers["webhook-id"])).toEqual(
      alerts.map(({ eventId }) => eventId),
    );
    const { secret } = await rpc.getWebhookSecret({ ...owner, mode: Mode.LIVE });
    expect(receiver.received.every((request) => isSignedWith(secret, request))).toBe(true);
  });

  it("that comes again is the same event, which is sent once and retried like any other", async () => {
    const receiver = await fixture.receiver(500);
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
    for (const [field, what] of [
      ["url", LOW],
      ["alert", undefined],
    ] as const) {
      const refused = await refusalOf(rpc.sendAlert({ alert: alertOf(accountId, what), url }));
      expect(refused).toEqual({ reason: ErrorReason.INVALID_FIELD, field });
    }
    expect((await fixture.list()).deliveries).toEqual([]);
  });
});
