/** ListDeliveries and GetDelivery: what an account sees of its webhooks, and what seeing it costs. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { DeliveryStatus } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { addMs } from "#runtime/clock.ts";
import { randomId } from "#runtime/id.ts";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import { listDeliveries } from "../../../services/delivery/store/delivery-log.ts";
import { newAccountId } from "../../support/account.ts";
import { testDatabase } from "../../support/database.ts";
import { startReceiver } from "../../support/receiver.ts";
import { rowsRead } from "../../support/rows-read.ts";
import { logBench, refusalOf } from "./log-fixture.ts";

const { PENDING, DELIVERED, DISABLED } = DeliveryStatus;
let database: Awaited<ReturnType<typeof testDatabase>>;

beforeAll(async () => {
  database = await testDatabase("delivery");
});
afterAll(() => database[Symbol.asyncDispose]());

const status = (code: number) => ({ status: code });

describe("a list of deliveries", () => {
  it("is newest first and pages without a gap or a repetition, also within one millisecond", async () => {
    await using it = await logBench(database);
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) {
      if (i % 3 === 0) it.bench.clock.advance(1_000);
      ids.push((await it.bench.deliver("https://hooks.example/a")).id);
    }
    const all = (await it.list()).deliveries;
    expect(all.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    const times = all.map(({ createdAt }) => (createdAt ? timestampDate(createdAt).getTime() : 0));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    for (const limit of [1, 3, 7]) {
      const seen: string[] = [];
      for (let after: string | undefined; ; after = seen.at(-1)) {
        const page = await it.list(after === undefined ? { limit } : { limit, after });
        seen.push(...page.deliveries.map(({ id }) => id));
        if (!page.hasMore) break;
      }
      expect(seen).toEqual(all.map(({ id }) => id));
    }
  });

  it("filters by generation, by status and by both", async () => {
    await using it = await logBench(database);
    await using receiver = await startReceiver(status(200), status(500));
    const first = await it.bench.deliver(receiver.url);
    await it.bench.sendDue();
    it.bench.clock.advance(1_000);
    const second = await it.bench.deliver(receiver.url);
    await it.bench.sendDue();
    const idsOf = async (filter: object) => (await it.list(filter)).deliveries.map(({ id }) => id);
    expect(await idsOf({ status: DELIVERED })).toEqual([first.id]);
    expect(await idsOf({ status: PENDING })).toEqual([second.id]);
    expect(await idsOf({ status: DISABLED })).toEqual([]);
    expect(await idsOf({ generationId: second.generationId })).toEqual([second.id]);
    expect(await idsOf({ generationId: second.generationId, status: DELIVERED })).toEqual([]);
    expect(await idsOf({ generationId: randomId("vgen") })).toEqual([]);
    expect(await idsOf({ generationId: "vgen_\0" })).toEqual([]);
  });

  it("shows nothing of another account or mode", async () => {
    await using it = await logBench(database);
    await it.bench.deliver("https://hooks.example/a");
    expect((await it.list({ mode: Mode.TEST })).deliveries).toEqual([]);
    expect((await it.list({ accountId: newAccountId() })).deliveries).toEqual([]);
  });

  it("refuses a cursor that is no delivery of this account and mode, naming the field", async () => {
    await using it = await logBench(database);
    const { id: after } = await it.bench.deliver("https://hooks.example/a");
    for (const wrong of [
      { after: randomId("whd") },
      { after: "" },
      { after: "whd_\0" },
      { after, mode: Mode.TEST },
      { after, accountId: newAccountId() },
    ]) {
      const refused = await refusalOf(it.list(wrong));
      expect(refused).toEqual({ reason: ErrorReason.NOT_FOUND, field: "after" });
    }
  });

  it("reads no more rows of a long history than it shows, by whichever filter", async () => {
    await using it = await logBench(database);
    const owner = connectPostgres({ url: database.ownerUrl, maxConnections: 1 }, "test");
    await owner`
      with made as (
        insert into delivery.webhook_deliveries (account_id, id, mode, event_id, type, generation_id, url, host, body,
          created_at)
        select ${it.of.accountId}, 'whd_' || n, 'live', 'evt_' || n, 't', 'vgen_' || n, 'u', 'h', '',
          timestamptz '2026-01-01' + n * interval '1 s'
        from generate_series(1, 20000) n
        returning account_id, id, mode, created_at
      )
      insert into delivery.webhook_ends (account_id, delivery_id, mode, url_sha256, created_at, status, fence,
        attempt_count, redelivered)
      select account_id, id, mode, '', created_at,
        case when id in ('whd_1', 'whd_2', 'whd_3') then 'exhausted' else 'delivered' end, 1, 1, false
      from made`;
    await owner`analyze delivery.webhook_deliveries, delivery.webhook_ends`;
    await owner.end({ timeout: 1 });
    const base = { accountId: it.of.accountId, mode: "live" as const, limit: 11 };
    const none = { generationId: undefined, status: undefined, after: undefined };
    const after = { created_at: new Date("2026-01-01T03:00:00Z"), id: "whd_10800" };
    for (const filter of [
      none,
      { ...none, after },
      { ...none, status: "exhausted" as const },
      { ...none, status: "delivered" as const, after },
      { ...none, generationId: "vgen_1" },
      { ...none, generationId: "vgen_2", status: "delivered" as const },
    ]) {
      for (const table of ["delivery.webhook_deliveries", "delivery.webhook_ends"]) {
        const read = await rowsRead(it.bench.sql, table, (tx) =>
          listDeliveries(tx, { ...base, ...filter }),
        );
        expect(read).toBeLessThanOrEqual(22);
      }
    }
  });
});

describe("a delivery", () => {
  it("W12: shows its event, where it stands, and each attempt with what came of it", async () => {
    await using it = await logBench(database);
    await using receiver = await startReceiver({ status: 503, body: 'später \u0007"' });
    const made = await it.bench.deliver(receiver.url);
    const start = it.bench.clock.now();
    await it.bench.sendDue();
    const shown = await it.get(made.id);
    expect(shown).toMatchObject({
      id: made.id,
      eventId: made.eventId,
      type: "video.generation.completed",
      generationId: made.generationId,
      url: receiver.url,
      status: PENDING,
      attempts: [{ statusCode: 503, durationMs: 0, responseBody: 'später \u0007"' }],
    });
    expect(shown?.attempts[0]?.error).toBeUndefined();
    expect(shown?.attempts[0]?.at && timestampDate(shown.attempts[0].at)).toEqual(start);
    expect(shown?.nextAttemptAt && timestampDate(shown.nextAttemptAt)).toEqual(addMs(start, 5_000));
    expect(shown?.createdAt && timestampDate(shown.createdAt)).toEqual(start);

    it.bench.clock.advance(5_000);
    await it.bench.sendDue();
    const ended = await it.get(made.id);
    expect(ended?.status).toBe(DELIVERED);
    expect(ended?.nextAttemptAt).toBeUndefined();
    expect(ended?.attempts.map(({ statusCode }) => statusCode)).toEqual([503, 200]);
    expect((await it.list()).deliveries).toEqual([ended]);
  });

  it("W12: of another account or mode, or of no form at all, is not found, and nothing is sent", async () => {
    await using it = await logBench(database);
    await using receiver = await startReceiver();
    const { id } = await it.bench.deliver(receiver.url);
    await it.bench.sendDue();
    const ways = [
      [id, { mode: Mode.TEST }],
      [id, { accountId: newAccountId() }],
      [randomId("whd"), {}],
      ["whd_\0", {}],
      [id.toUpperCase(), {}],
    ] as const;
    for (const [deliveryId, change] of ways) {
      const notFound = { reason: ErrorReason.NOT_FOUND, field: "delivery_id" };
      expect(await refusalOf(it.get(deliveryId, change))).toEqual(notFound);
      expect(await refusalOf(it.redeliver(deliveryId, change))).toEqual(notFound);
    }
    expect(await it.bench.sendDue()).toBe(0);
    expect(it.seen.rings).toBe(0);
  });

  it("shows the latest 25 attempts of a delivery that was asked for very often", async () => {
    await using it = await logBench(database);
    const made = await it.bench.deliver("https://hooks.example/a");
    await it.bench.sql`
      insert into delivery.webhook_attempts (account_id, delivery_id, number, at, status_code, duration_ms)
      select ${it.of.accountId}, ${made.id}, n, now(), 200, n from generate_series(1, 300) n`;
    const shown = await it.get(made.id);
    expect(shown?.attempts.map(({ durationMs }) => durationMs)).toEqual(
      Array.from({ length: 25 }, (_, index) => 276 + index),
    );
  });
});
