/** The RPCs for webhook URLs: test events, and listing and enabling disabled URLs. */
import { describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { DeliveryStatus, DisabledReason } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { EVENT_EXAMPLES } from "#gen/openapi/event-examples.ts";
import { modeName } from "#vocabulary/names.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { allowNone } from "#runtime/address.ts";
import { inContext } from "#runtime/work-context.ts";
import { newAccountId } from "../../support/account.ts";
import { startReceiver } from "../../support/receiver.ts";
import { waitingSessions } from "../../support/waiting-sessions.ts";
import { refusalOf } from "../test-deps.ts";
import { logFixture } from "./log-fixture.ts";
import { deliveryDatabase } from "./sender-fixture.ts";

const GONE = { status: 410 };
const database = deliveryDatabase();

type SentEvent = { type: string; data: Record<string, unknown> };

describe("a test event", () => {
  it("is a webhook.test with empty data, sent at once and listed with the deliveries", async () => {
    await using fixture = await logFixture(database());
    await using receiver = await startReceiver();
    const { delivery } = await inContext({ requestId: "req_1" }, () =>
      fixture.rpc.sendTestEvent({ ...fixture.owner, url: receiver.url }),
    );
    expect(fixture.seen.wakes).toBe(1);
    // What its attempts are logged with.
    const [row] = await fixture.sql`
      select request_id from delivery.webhook_deliveries where id = ${delivery?.id ?? ""}`;
    expect(row).toMatchObject({ requestId: "req_1" });
    expect(await fixture.get(delivery?.id ?? "")).toEqual(delivery);
    await fixture.sendDue();
    const [request] = receiver.received;
    expect(JSON.parse(request?.body.toString() ?? "")).toEqual({
      type: "webhook.test",
      timestamp: fixture.clock.now().toISOString(),
      data: {},
    });
    expect(request?.headers["webhook-id"]).toBe(delivery?.eventId);
    expect(await fixture.get(delivery?.id ?? "")).toMatchObject({
      status: DeliveryStatus.DELIVERED,
      type: "webhook.test",
    });
  });

  it("is refused for every URL that is not a valid webhook_url", async () => {
    await using fixture = await logFixture(database(), { allowAddress: allowNone });
    for (const url of ["https://10.0.0.1/", "ftp://hooks.example/", "https://hooks.example:22/"]) {
      const refused = await refusalOf(fixture.rpc.sendTestEvent({ ...fixture.owner, url }));
      expect(refused).toEqual({ reason: ErrorReason.INVALID_FIELD, field: "url" });
    }
    expect((await fixture.list()).deliveries).toEqual([]);
  });

  it("has the data of an example of its type, of its own mode and of nobody's order", async () => {
    await using fixture = await logFixture(database());
    await using receiver = await startReceiver();
    const types = Object.keys(EVENT_EXAMPLES);
    expect(types).toEqual(
      expect.arrayContaining(["video.generation.completed", "image.generation.failed"]),
    );
    for (const type of types) {
      const { delivery } = await fixture.rpc.sendTestEvent({
        ...fixture.owner,
        url: receiver.url,
        type,
      });
      expect(delivery?.type).toBe(type);
      await fixture.sendDue();
      const sent = JSON.parse(receiver.received.at(-1)?.body.toString() ?? "") as SentEvent;
      expect(sent.type).toBe(type);
      expect(Object.keys(sent.data)).toEqual(Object.keys(EVENT_EXAMPLES[type] ?? {}));
      if (!type.includes(".generation.")) continue;
      expect(sent.data).toMatchObject({
        mode: modeName(fixture.owner.mode),
        input: { metadata: {} },
      });
    }
  });

  it("of an unknown type is refused, naming the field", async () => {
    await using fixture = await logFixture(database());
    for (const type of ["video.generation.started", "constructor"]) {
      const event = { ...fixture.owner, url: "https://hooks.example/", type };
      expect(await refusalOf(fixture.rpc.sendTestEvent(event))).toEqual({
        reason: ErrorReason.INVALID_FIELD,
        field: "type",
      });
    }
  });
});

describe("a disabled URL", () => {
  it("is listed with its reason, newest first and in pages, for its own account and mode only", async () => {
    await using fixture = await logFixture(database());
    await using receiver = await startReceiver(GONE, GONE, GONE);
    const urls = ["a", "b", "c"].map((name) => `${receiver.url}?${name}`);
    for (const url of urls) {
      await fixture.deliver(url);
      await fixture.sendDue();
      fixture.clock.advance(1_000);
    }
    const pages = [];
    let after: string | undefined;
    do {
      const cursor = after === undefined ? {} : { after };
      const page = await fixture.rpc.listDisabledUrls({ ...fixture.owner, limit: 2, ...cursor });
      pages.push(page.urls);
      after = page.nextAfter;
    } while (after !== undefined && pages.length < 5);
    expect(pages.map((page) => page.map(({ url }) => url))).toEqual([
      [urls[2], urls[1]],
      [urls[0]],
    ]);
    expect(pages.flat().every(({ reason }) => reason === DisabledReason.GONE)).toBe(true);
    for (const other of [{ mode: Mode.TEST }, { accountId: newAccountId() }]) {
      const page = await fixture.rpc.listDisabledUrls({ ...fixture.owner, limit: 9, ...other });
      expect(page.urls).toEqual([]);
    }
    const refused = await refusalOf(
      fixture.rpc.listDisabledUrls({ ...fixture.owner, limit: 9, after: "x" }),
    );
    expect(refused).toEqual({ reason: ErrorReason.INVALID_FIELD, field: "after" });
  });

  it("refuses test events and redeliveries and stops due deliveries, until it is enabled", async () => {
    await using fixture = await logFixture(database());
    await using receiver = await startReceiver(GONE);
    await fixture.deliver(receiver.url);
    await fixture.sendDue();
    const stopped = await fixture.deliver(receiver.url);
    const elsewhere = await fixture.deliver(`${receiver.url}?elsewhere`);
    await fixture.sendDue();
    expect(receiver.received).toHaveLength(2);
    for (const call of [
      () => fixture.rpc.sendTestEvent({ ...fixture.owner, url: receiver.url }),
      () => fixture.redeliver(stopped.id),
    ]) {
      const { reason } = await refusalOf(call());
      expect(reason).toBe(ErrorReason.WEBHOOK_URL_DISABLED);
      await expect(call()).rejects.toThrow("Enable it again in the dashboard, under Webhooks,");
    }

    const enable = () => fixture.rpc.enableUrl({ ...fixture.owner, url: receiver.url });
    expect(await enable()).toMatchObject({ wasDisabled: true, resumed: 2 });
    expect(await enable()).toMatchObject({ wasDisabled: false, resumed: 0 });
    expect(await fixture.sendDue()).toBe(2);
    expect(await fixture.get(stopped.id)).toMatchObject({ status: DeliveryStatus.DELIVERED });
    expect((await fixture.get(elsewhere.id))?.attempts).toHaveLength(1);
    expect((await fixture.rpc.listDisabledUrls({ ...fixture.owner, limit: 9 })).urls).toEqual([]);
  });

  it("by an operator is sent nothing until it is enabled; one that is disabled keeps its reason", async () => {
    await using fixture = await logFixture(database());
    await using receiver = await startReceiver();
    const { id, url } = await fixture.deliver(receiver.url);
    const disable = () => fixture.rpc.disableUrl({ ...fixture.owner, url });
    expect(await disable()).toMatchObject({ wasDisabled: false });
    expect(await disable()).toMatchObject({ wasDisabled: true });
    await fixture.sendDue();
    expect(receiver.received).toHaveLength(0);
    expect((await fixture.get(id))?.status).toBe(DeliveryStatus.DISABLED);
    const { urls } = await fixture.rpc.listDisabledUrls({ ...fixture.owner, limit: 9 });
    expect(urls).toMatchObject([{ url, reason: DisabledReason.OPERATOR }]);
    await fixture.rpc.enableUrl({ ...fixture.owner, url });
    await fixture.sendDue();
    expect(receiver.received).toHaveLength(1);
  });

  it("that is enabled during a claim leaves no delivery stopped", async () => {
    await using fixture = await logFixture(database());
    const { id, url } = await fixture.deliver("https://hooks.example/a");
    await fixture.disable(url);
    let enabled: ReturnType<typeof fixture.rpc.enableUrl> | undefined;
    await fixture.sql.begin(async (tx) => {
      await fixture.claimBy(tx);
      enabled = fixture.rpc.enableUrl({ ...fixture.owner, url });
      // Postgres ends a transaction that is idle for longer.
      await expect.poll(() => waitingSessions(fixture.sql)).toBe(1);
    });
    expect((await enabled)?.wasDisabled).toBe(true);
    expect((await fixture.get(id))?.status).toBe(DeliveryStatus.PENDING);
  });
});
