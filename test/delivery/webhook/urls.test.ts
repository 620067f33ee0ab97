/** Webhook URLs: test events, what disables one, and listing and enabling those that are disabled. */
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { DeliveryStatus, DisabledReason } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { EVENT_EXAMPLES } from "#gen/openapi/event-examples.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { inContext } from "#runtime/work-context.ts";
import { newAccountId } from "../../support/account.ts";
import { racing } from "../../support/waiting-sessions.ts";
import { recordAttemptsIfLeased } from "../../../services/delivery/store/webhook-claims.ts";
import { refusalOf } from "../test-deps.ts";
import { repeated, webhookFixture } from "./webhook-fixture.ts";

const { DELIVERED, DISABLED, EXHAUSTED, PENDING } = DeliveryStatus;
const fixture = webhookFixture();
const sendTestEvent = (url: string, type?: string) =>
  fixture.rpc.sendTestEvent({ ...fixture.owner, url, ...(type && { type }) });
const disabled = async (which: { url?: string } = {}) =>
  (await fixture.rpc.listDisabledUrls({ ...fixture.owner, limit: 100, ...which })).urls;

type SentEvent = { type: string; data: Record<string, unknown> };

describe("a test event", () => {
  it("is a webhook.test with empty data, sent at once and listed with the deliveries", async () => {
    const receiver = await fixture.receiver();
    const send = () => sendTestEvent(receiver.url);
    const { delivery } = await inContext({ requestId: "req_1" }, send);
    expect(fixture.seen.wakes).toBe(1);
    const id = delivery?.id ?? "";
    // What its attempts are logged with.
    const rows = await fixture.sql`
      select request_id from delivery.webhook_deliveries where id = ${id}`;
    expect(rows).toMatchObject([{ requestId: "req_1" }]);
    expect(await fixture.get(id)).toEqual(delivery);
    await fixture.sendDue();
    const [request] = receiver.received;
    expect(JSON.parse(request?.body.toString() ?? "")).toEqual({
      type: "webhook.test",
      timestamp: fixture.clock.now().toISOString(),
      data: {},
    });
    expect(request?.headers["webhook-id"]).toBe(delivery?.eventId);
    expect(await fixture.get(id)).toMatchObject({ status: DELIVERED, type: "webhook.test" });
  });

  it("is refused for every URL that is not a valid webhook_url", async () => {
    fixture.forbidLoopback();
    for (const url of ["https://10.0.0.1/", "ftp://hooks.example/", "https://hooks.example:22/"]) {
      const refused = await refusalOf(sendTestEvent(url));
      expect(refused).toEqual({ reason: ErrorReason.INVALID_FIELD, field: "url" });
    }
    expect((await fixture.list()).deliveries).toEqual([]);
  });

  it("has the data of an example of its type, of its own mode and of nobody's order", async () => {
    const receiver = await fixture.receiver();
    const types = Object.keys(EVENT_EXAMPLES);
    expect(types).toEqual(
      expect.arrayContaining(["video.generation.completed", "image.generation.failed"]),
    );
    for (const type of types) {
      const { delivery } = await sendTestEvent(receiver.url, type);
      expect(delivery?.type).toBe(type);
      await fixture.sendDue();
      const sent = JSON.parse(receiver.received.at(-1)?.body.toString() ?? "") as SentEvent;
      expect(sent.type).toBe(type);
      expect(Object.keys(sent.data)).toEqual(Object.keys(EVENT_EXAMPLES[type] ?? {}));
      const said = type.includes(".generation.") ? { mode: "live", input: { metadata: {} } } : {};
      expect(sent.data).toMatchObject(said);
    }
  });

  it("of an unknown type is refused, naming the field", async () => {
    for (const type of ["video.generation.started", "constructor"]) {
      const refused = await refusalOf(sendTestEvent("https://hooks.example/", type));
      expect(refused).toEqual({ reason: ErrorReason.INVALID_FIELD, field: "type" });
    }
  });
});

describe("a disabled URL", () => {
  it("is listed with its reason, newest first and in pages, for its own account and mode only", async () => {
    const receiver = await fixture.receiver(410, 410, 410);
    const urls = ["a", "b", "c"].map((name) => `${receiver.url}?${name}`);
    for (const url of urls) {
      await fixture.deliver(url);
      await fixture.sendDue();
      fixture.clock.advance(1_000);
    }
    const list = (change: object) =>
      fixture.rpc.listDisabledUrls({ ...fixture.owner, limit: 2, ...change });
    const reason = DisabledReason.GONE;
    const first = await list({});
    expect(first.urls).toMatchObject([
      { url: urls[2], reason },
      { url: urls[1], reason },
    ]);
    const { urls: last, nextAfter } = await list({ after: first.nextAfter });
    expect(last).toMatchObject([{ url: urls[0], reason }]);
    expect(nextAfter).toBeUndefined();
    for (const other of [{ mode: Mode.TEST }, { accountId: newAccountId() }]) {
      expect((await list(other)).urls).toEqual([]);
    }
    const refused = await refusalOf(list({ after: "x" }));
    expect(refused).toEqual({ reason: ErrorReason.INVALID_FIELD, field: "after" });
  });

  it("refuses test events and redeliveries and stops due deliveries, until it is enabled", async () => {
    const { receiver } = await fixture.sent(410);
    const stopped = await fixture.deliver(receiver.url);
    const elsewhere = await fixture.deliver(`${receiver.url}?elsewhere`);
    const inTest = await fixture.deliver(receiver.url, { mode: "test" });
    const accountId = newAccountId();
    const foreign = await fixture.deliver(receiver.url, { accountId });
    await fixture.deliver(`${receiver.url}?disabled`);
    await fixture.disable(`${receiver.url}?disabled`);
    await fixture.sendDue();
    expect(receiver.received).toHaveLength(4);
    for (const call of [() => sendTestEvent(receiver.url), () => fixture.redeliver(stopped.id)]) {
      const { reason } = await refusalOf(call());
      expect(reason).toBe(ErrorReason.WEBHOOK_URL_DISABLED);
      await expect(call()).rejects.toThrow("Enable it again in the dashboard, under Webhooks,");
    }

    // The same URL in the other mode or of another account is another one, and stays disabled when this one is enabled.
    const { url } = receiver;
    const others = [
      { ...fixture.owner, mode: Mode.TEST, url, id: inTest.id },
      { ...fixture.owner, accountId, url, id: foreign.id },
    ];
    for (const { id, ...other } of others) {
      expect(await fixture.redeliver(id, other)).toMatchObject({ status: PENDING });
      await fixture.rpc.sendTestEvent(other);
      await fixture.rpc.disableUrl(other);
    }
    await fixture.sendDue();

    const enable = () => fixture.rpc.enableUrl({ ...fixture.owner, url });
    expect(await enable()).toMatchObject({ wasDisabled: true, resumed: 2 });
    expect(await enable()).toMatchObject({ wasDisabled: false, resumed: 0 });
    expect(await fixture.sendDue()).toBe(2);
    expect(await fixture.get(stopped.id)).toMatchObject({ status: DELIVERED });
    expect((await fixture.get(elsewhere.id))?.attempts).toHaveLength(1);
    expect(await disabled()).toMatchObject([{ url: `${url}?disabled` }]);
    for (const other of others) expect(await disabled(other)).toHaveLength(1);
  });

  it("stays so whatever the attempts that were under way come to", async () => {
    for (let i = 0; i < 2; i++) await fixture.deliver("https://hooks.example/a");
    const [failed, arrived] = (await fixture.claimBy(fixture.sql)).map(fixture.arrived);
    await fixture.disable("https://hooks.example/a");
    const outcome = { status: "pending", nextAttemptAt: fixture.clock.now() } as const;
    for (const attempt of [{ ...failed, outcome }, arrived]) {
      expect(await recordAttemptsIfLeased(fixture.sql, [attempt as never], 1)).toEqual([true]);
      expect(await disabled()).toHaveLength(1);
    }
  });

  it("by an operator is sent nothing until it is enabled; one that is disabled keeps its reason", async () => {
    const receiver = await fixture.receiver();
    const { id, url } = await fixture.deliver(receiver.url);
    const disable = () => fixture.rpc.disableUrl({ ...fixture.owner, url });
    expect(await disable()).toMatchObject({ wasDisabled: false });
    expect(await disable()).toMatchObject({ wasDisabled: true });
    await fixture.sendDue();
    expect(receiver.received).toHaveLength(0);
    expect((await fixture.get(id))?.status).toBe(DISABLED);
    expect(await disabled()).toMatchObject([{ url, reason: DisabledReason.OPERATOR }]);
    expect(await disabled({ url })).toEqual(await disabled());
    expect(await disabled({ url: `${url}/other` })).toEqual([]);
    await fixture.rpc.enableUrl({ ...fixture.owner, url });
    await fixture.sendDue();
    expect(receiver.received).toHaveLength(1);
  });

  it("that is enabled leaves a delivery that was redelivered before the schedule's next wait", async () => {
    const { id, url } = await fixture.sent(500, 500);
    await fixture.redeliver(id);
    await fixture.disable(url);
    expect(await fixture.sendDue()).toBe(0);
    fixture.clock.advance(60_000);
    await fixture.rpc.enableUrl({ ...fixture.owner, url });
    expect(await fixture.sendDue()).toBe(1);
    expect(await fixture.sendDue()).toBe(0);
  });

  it("that is enabled during a claim leaves no delivery stopped", async () => {
    const { id, url } = await fixture.deliver("https://hooks.example/a");
    await fixture.disable(url);
    const enable = () => fixture.rpc.enableUrl({ ...fixture.owner, url });
    const { wasDisabled } = await racing(fixture.sql, fixture.claimBy, enable);
    expect(wasDisabled).toBe(true);
    expect((await fixture.get(id))?.status).toBe(PENDING);
  });
});

const HOUR_MS = 3_600_000;
/** The steps of a whole schedule, each a little longer than its longest wait. */
const STEP_SECONDS = [0, 6, 360, 2_400, 10_800, 25_200, 50_400, 50_400];

/** Sends a delivery until it is exhausted. */
async function exhaust(url: string) {
  const made = await fixture.deliver(url);
  for (const seconds of STEP_SECONDS) {
    fixture.clock.advance(seconds * 1_000);
    await fixture.sendDue();
  }
  expect(await fixture.get(made.id)).toMatchObject({ status: EXHAUSTED });
  return made;
}

describe("a URL whose attempts all fail", () => {
  it("is none where a success is recorded together with a failure", async () => {
    for (let i = 0; i < 2; i++) await fixture.deliver("https://hooks.example/a");
    const [failed, arrived] = (await fixture.claimBy(fixture.sql)).map(fixture.arrived);
    const outcome = { status: "pending", nextAttemptAt: fixture.clock.now() } as const;
    const attempts = [{ ...failed, outcome }, arrived] as never;
    expect(await recordAttemptsIfLeased(fixture.sql, attempts, 1)).toEqual([true, true]);
    expect(await fixture.sql`select from delivery.webhook_urls`).toHaveLength(0);
  });

  it("stays so where the same URL of the other mode or of another account gets a webhook", async () => {
    const { url } = await fixture.sent(500, 200, 200);
    for (const other of [{ mode: "test" as const }, { accountId: newAccountId() }])
      await fixture.deliver(url, other);
    expect(await fixture.sendDue()).toBe(2);
    expect(await fixture.sql`select from delivery.webhook_urls`).toHaveLength(1);
  });

  it("is disabled by the first delivery that is exhausted after five days, for its account and mode", async () => {
    const failing = await fixture.receiver(...repeated(200, 500));
    await fixture.deliver(failing.url, { mode: "test" });
    await fixture.sendDue();
    fixture.clock.advance(39 * HOUR_MS);
    for (let hours = 0; hours < 5 * 24 - 39; hours += 39) await exhaust(failing.url);
    expect(await disabled()).toEqual([]);
    await exhaust(failing.url);
    expect(await disabled()).toMatchObject([{ url: failing.url, reason: DisabledReason.FAILING }]);
    const later = await fixture.deliver(failing.url);
    const otherMode = await fixture.deliver(failing.url, { mode: "test" });
    await fixture.sendDue();
    expect(await fixture.get(later.id)).toMatchObject({ status: DISABLED });
    expect(await fixture.stateOf(otherMode)).toMatchObject({ status: "pending" });
  });

  it("counts its five days again from the start after one success, and after it is enabled again", async () => {
    const receiver = await fixture.receiver(...repeated(8 * 3, 503), 200, ...repeated(8 * 9, 503));
    const exhaustThrice = async () => {
      for (let round = 0; round < 3; round++) await exhaust(receiver.url);
    };
    await exhaustThrice();
    await fixture.deliver(receiver.url);
    await fixture.sendDue();
    await exhaustThrice();
    expect(await disabled()).toEqual([]);
    await exhaust(receiver.url);
    expect(await disabled()).toHaveLength(1);
    await fixture.rpc.enableUrl({ ...fixture.owner, url: receiver.url });
    await exhaustThrice();
    expect(await disabled()).toEqual([]);
  });

  it("is not disabled by redeliveries that fail, however many and however late", async () => {
    const failing = await fixture.receiver(...repeated(16, 500));
    const made = await exhaust(failing.url);
    for (let day = 0; day < 8; day++) {
      fixture.clock.advance(24 * HOUR_MS);
      await fixture.redeliver(made.id);
      await fixture.sendDue();
    }
    expect((await fixture.get(made.id))?.attempts).toHaveLength(16);
    expect(await disabled()).toEqual([]);
    const [before] = await fixture.sql`select failing_since from delivery.webhook_urls`;
    expect(before?.["failingSince"]).toEqual(made.at);
  });
});
