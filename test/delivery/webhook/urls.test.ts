/** URLs as the RPCs know them: trying one, seeing which are disabled, enabling one again. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { DeliveryStatus, DisabledReason } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { allowNone } from "#runtime/address.ts";
import { addMs, systemClock } from "#runtime/clock.ts";
import { claimDeliveries } from "../../../services/delivery/store/webhook-claims.ts";
import { newAccountId } from "../../support/account.ts";
import { testDatabase } from "../../support/database.ts";
import { startReceiver } from "../../support/receiver.ts";
import { REFUSED_HOSTS } from "../../support/refused-hosts.ts";
import { logBench, refusalOf } from "./log-fixture.ts";

const GONE = { status: 410 };
let database: Awaited<ReturnType<typeof testDatabase>>;

beforeAll(async () => {
  database = await testDatabase("delivery");
});
afterAll(() => database[Symbol.asyncDispose]());

describe("a test event", () => {
  it("is a webhook.test with empty data, sent at once and seen in the log", async () => {
    await using it = await logBench(database);
    await using receiver = await startReceiver();
    const { delivery } = await it.rpc.sendTestEvent({ ...it.of, url: receiver.url });
    expect(it.seen.rings).toBe(1);
    expect(await it.get(delivery?.id ?? "")).toEqual(delivery);
    await it.bench.sendDue();
    const [request] = receiver.received;
    expect(JSON.parse(request?.body.toString() ?? "")).toEqual({
      type: "webhook.test",
      timestamp: it.bench.clock.now().toISOString(),
      data: {},
    });
    expect(request?.headers["webhook-id"]).toBe(delivery?.eventId);
    expect(await it.get(delivery?.id ?? "")).toMatchObject({
      status: DeliveryStatus.DELIVERED,
      type: "webhook.test",
    });
  });

  it("S1, S4: goes to no URL that a webhook_url could not be", async () => {
    await using it = await logBench(database, { allowAddress: allowNone });
    const hosts = REFUSED_HOSTS.map((host) => `https://${host}/hook`);
    const urls = [
      "https://user@hooks.example/",
      "ftp://hooks.example/",
      "https://hooks.example:22/",
    ];
    for (const url of [...hosts, ...urls]) {
      const refused = await refusalOf(it.rpc.sendTestEvent({ ...it.of, url }));
      expect(refused).toEqual({ reason: ErrorReason.INVALID_FIELD, field: "url" });
    }
    expect((await it.list()).deliveries).toEqual([]);
  });
});

describe("a disabled URL", () => {
  it("is listed with its reason, newest first, page by page, to its own account and mode alone", async () => {
    await using it = await logBench(database);
    await using receiver = await startReceiver(GONE, GONE, GONE);
    const urls = ["a", "b", "c"].map((name) => `${receiver.url}?${name}`);
    for (const url of urls) {
      await it.bench.deliver(url);
      await it.bench.sendDue();
      it.bench.clock.advance(1_000);
    }
    const pages = [];
    for (let after: string | undefined; pages.length < 5;) {
      const page = await it.rpc.listDisabledUrls({
        ...it.of,
        limit: 2,
        ...(after ? { after } : {}),
      });
      pages.push(page.urls);
      after = page.nextAfter;
      if (after === undefined) break;
    }
    expect(pages.map((page) => page.map(({ url }) => url))).toEqual([
      [urls[2], urls[1]],
      [urls[0]],
    ]);
    expect(pages.flat().every(({ reason }) => reason === DisabledReason.GONE)).toBe(true);
    for (const other of [{ mode: Mode.TEST }, { accountId: newAccountId() }]) {
      const page = await it.rpc.listDisabledUrls({ ...it.of, limit: 9, ...other });
      expect(page.urls).toEqual([]);
    }
    const refused = await refusalOf(it.rpc.listDisabledUrls({ ...it.of, limit: 9, after: "x" }));
    expect(refused).toEqual({ reason: ErrorReason.INVALID_FIELD, field: "after" });
  });

  it("W10: refuses test events and redeliveries, stops what is due, and all goes on once it is enabled", async () => {
    await using it = await logBench(database);
    await using receiver = await startReceiver(GONE);
    await it.bench.deliver(receiver.url);
    await it.bench.sendDue();
    const stopped = await it.bench.deliver(receiver.url);
    const elsewhere = await it.bench.deliver(`${receiver.url}?elsewhere`);
    await it.bench.sendDue();
    expect(receiver.received).toHaveLength(2);
    for (const call of [
      () => it.rpc.sendTestEvent({ ...it.of, url: receiver.url }),
      () => it.redeliver(stopped.id),
    ]) {
      const { reason } = await refusalOf(call());
      expect(reason).toBe(ErrorReason.WEBHOOK_URL_DISABLED);
    }

    const enable = () => it.rpc.enableUrl({ ...it.of, url: receiver.url });
    expect(await enable()).toMatchObject({ wasDisabled: true, resumed: 2 });
    expect(await enable()).toMatchObject({ wasDisabled: false, resumed: 0 });
    expect(await it.bench.sendDue()).toBe(2);
    expect(await it.get(stopped.id)).toMatchObject({ status: DeliveryStatus.DELIVERED });
    expect((await it.get(elsewhere.id))?.attempts).toHaveLength(1);
    expect((await it.rpc.listDisabledUrls({ ...it.of, limit: 9 })).urls).toEqual([]);
  });

  it("enabled while a claim looks at it leaves nothing behind that it stopped", async () => {
    await using it = await logBench(database);
    const { bench } = it;
    const { id, url } = await bench.deliver("https://hooks.example/a");
    await bench.sql`
      insert into delivery.disabled_urls (account_id, mode, url_sha256, url, disabled_at)
      values (${bench.accountId}, 'live', sha256(${url}::bytea), ${url}, ${bench.clock.now()})`;
    const now = bench.clock.now();
    const limits = { afterHost: "", hosts: 4, lanesOfHost: 4, slowHosts: [], depth: 1, rows: 64 };
    let enabled: ReturnType<typeof it.rpc.enableUrl> | undefined;
    await bench.sql.begin(async (tx) => {
      await claimDeliveries(tx, { ...limits, now, leaseUntil: addMs(now, 60_000) });
      enabled = it.rpc.enableUrl({ ...it.of, url });
      // Long enough for it to end if it does not wait for the claim.
      await Promise.race([enabled, systemClock.sleep(500)]);
    });
    expect((await enabled)?.wasDisabled).toBe(true);
    expect((await it.get(id))?.status).toBe(DeliveryStatus.PENDING);
  });
});
