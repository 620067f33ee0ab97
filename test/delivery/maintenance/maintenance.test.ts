/** What becomes of stored files: retention, deletion and the sweep, each cut off at its worst moment. */
import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { Kind } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { addMs } from "#runtime/clock.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { randomId, randomToken } from "#runtime/id.ts";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import { startAssetServer } from "../../../services/delivery/asset-server/asset-server.ts";
import { createFilesystemStore } from "../../../services/delivery/storage/filesystem.ts";
import { contentTypeOf } from "../../../services/delivery/storage/object-store.ts";
import { assetTokenOf } from "../../../services/delivery/domain/asset-key.ts";
import { routes } from "../../../services/delivery/routes.ts";
import { isAssetDeleted } from "../../../services/delivery/store/asset-deletions.ts";
import {
  listStoredAssets,
  recordAssetIfReserved,
  reserveAssetToken,
} from "../../../services/delivery/store/assets.ts";
import type { AssetId } from "../../../services/delivery/store/assets.ts";
import { markedDeletion } from "../../../services/delivery/maintenance/delete-marked.ts";
import { markExpired } from "../../../services/delivery/maintenance/expire.ts";
import { sweepUnreferenced } from "../../../services/delivery/maintenance/sweep-unreferenced.ts";
import { newAccountId } from "../../support/account.ts";
import { testDatabase } from "../../support/database.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { memoryClient } from "../../support/rpc.ts";
import { quiet } from "../webhook/fixtures.ts";
import { testDeps } from "../test-deps.ts";

const DAY_MS = 24 * 3_600_000;
const parts = new AsyncDisposableStack();
let bench: Awaited<ReturnType<typeof setUp>>;

beforeAll(async () => {
  bench = await setUp();
});
beforeEach(() => bench.reset());
afterAll(() => parts.disposeAsync());

async function setUp() {
  const directory = await mkdtemp(join(tmpdir(), "upkeep-"));
  parts.defer(() => rm(directory, { recursive: true }));
  const { url, ownerUrl } = parts.use(await testDatabase("delivery"));
  const sql = connectPostgres({ url, maxConnections: 2 }, "test");
  parts.defer(() => sql.end({ timeout: 1 }));
  const owner = connectPostgres({ url: ownerUrl, maxConnections: 1 }, "test");
  parts.defer(() => owner.end({ timeout: 1 }));
  const store = createFilesystemStore(directory);
  // Files carry the machine's time: what a test stores is two days old to this clock.
  const clock = manualClock(addMs(new Date(), 2 * DAY_MS).toISOString());
  const rpc = memoryClient(DeliveryService, routes(testDeps({ sql, clock })), "ops");
  const isDeleted = async (key: string) => isAssetDeleted(sql, assetTokenOf(key) ?? "");
  const server = parts.use(
    await startAssetServer({ host: "127.0.0.1", port: 0, store, isDeleted }),
  );
  const keys = async () => {
    const found: string[] = [];
    for await (const { key } of store.list()) found.push(key);
    return found.toSorted();
  };
  const put = async (key: string, text = "0123456789") => {
    await store.put(key, Readable.from([Buffer.from(text)]), { contentType: contentTypeOf(key) });
    return key;
  };
  return {
    sql,
    store,
    clock,
    rpc,
    keys,
    put,
    deps: { sql, store, clock, log: quiet },
    path: (key: string) => join(directory, key),
    statusOf: async (key: string) => (await fetch(`${server.url}/${key}`)).status,
    /** A stored output of ten bytes, with a thumbnail of four. */
    async stored(change: Partial<AssetId> & { storedAt?: Date } = {}) {
      const { storedAt: at = clock.now(), ...names } = change;
      const accountId = newAccountId();
      const id = { accountId, generationId: randomId("vgen"), position: 0, ...names };
      const token = (await reserveAssetToken(sql, id, randomToken(), at)) ?? "";
      const key = await put(`${token}.mp4`);
      const thumbnailKey = await put(`${token}.jpg`, "tiny");
      await recordAssetIfReserved(sql, { ...id, ...FACTS, token, key, thumbnailKey, at });
      return { ...id, key, thumbnailKey };
    },
    /** Deletes what is marked and due; answers with how many outputs. */
    async deleteMarked(to = store): Promise<number> {
      const work = markedDeletion({ sql, clock, store: to });
      const claimed = await work.claim(100);
      for (const row of claimed) await work.work(row, new AbortController().signal);
      return claimed.length;
    },
    async reset() {
      await owner`truncate delivery.assets, delivery.asset_retention`;
      for (const key of await keys()) await store.delete(key);
    },
  };
}

const FACTS = {
  contentType: "video/mp4",
  width: 1280,
  height: 720,
  durationSeconds: 5,
  bytes: 10,
  thumbnailBytes: 4,
  sha256: "0".repeat(64),
};

describe("the sweep of unreferenced objects", () => {
  it("deletes what no row knows, and nothing that a row names, is young, or is not of our making", async () => {
    const { key, thumbnailKey } = await bench.stored();
    await bench.put(`${randomToken()}.mp4`);
    await bench.put(`${assetTokenOf(key)}.png`);
    const foreign = await bench.put("backup.mp4");
    const young = await bench.put(`${randomToken()}.mp4`);
    const soon = addMs(bench.clock.now(), -60_000);
    await utimes(bench.path(young), soon, soon);
    expect(await sweepUnreferenced(bench.deps)).toBe(2);
    expect(await bench.keys()).toEqual([key, thumbnailKey, foreign, young].toSorted());
    expect(await sweepUnreferenced(bench.deps)).toBe(0);
  });

  it("deletes what a cut-off copy left, and such a copy cannot be recorded any more", async () => {
    const id = { accountId: newAccountId(), generationId: randomId("vgen"), position: 0 };
    const at = bench.clock.now();
    const token = (await reserveAssetToken(bench.sql, id, randomToken(), at)) ?? "";
    const key = await bench.put(`${token}.mp4`);
    const thumbnailKey = await bench.put(`${token}.jpg`);
    expect(await sweepUnreferenced(bench.deps)).toBe(2);
    expect(await bench.keys()).toEqual([]);
    const late = { ...id, ...FACTS, token, key, thumbnailKey, at };
    expect(await recordAssetIfReserved(bench.sql, late)).toBe(false);
    expect(await listStoredAssets(bench.sql, id.accountId, id.generationId)).toEqual([]);
    const next = await reserveAssetToken(bench.sql, id, randomToken(), at);
    expect(next).not.toBe(token);
  });

  it("leaves objects that no row knows where they are many: they may be another's", async () => {
    const strangers = Array.from({ length: 101 }, () => `${randomToken()}.mp4`);
    await Promise.all(strangers.map((key) => writeFile(bench.path(key), "0123456789")));
    expect(await sweepUnreferenced(bench.deps)).toBe(0);
    expect(await bench.keys()).toHaveLength(101);
  });
});

describe("a deletion", () => {
  it("takes the outputs of one generation of one account: 410 from then on, 404 for what never was", async () => {
    const gone = await bench.stored();
    const other = await bench.stored({ generationId: gone.generationId });
    const { accountId, generationId } = gone;
    expect(await bench.statusOf(gone.key)).toBe(200);
    const { deleted } = await bench.rpc.deleteAssets({ accountId, generationId });
    expect(deleted).toMatchObject({ outputs: 1n, bytes: 14n });
    expect(await bench.deleteMarked()).toBe(1);
    expect(await bench.keys()).toEqual([other.key, other.thumbnailKey].toSorted());
    const statuses = [gone.key, gone.thumbnailKey, other.key, `${randomToken()}.mp4`];
    expect(await Promise.all(statuses.map(bench.statusOf))).toEqual([410, 410, 200, 404]);
  });

  it("counts once, and is remembered: usage tells it, and a repeated StoreOutput answers as before", async () => {
    const { accountId, generationId, key } = await bench.stored();
    await bench.stored({ accountId });
    await bench.rpc.deleteAssets({ accountId, generationId });
    await bench.deleteMarked();
    const again = await bench.rpc.deleteAssets({ accountId, generationId });
    expect(again.deleted).toMatchObject({ outputs: 0n, bytes: 0n });
    expect(await bench.rpc.getUsage({ accountId })).toMatchObject({
      kept: { outputs: 1n, bytes: 14n },
      deleted: { outputs: 1n, bytes: 14n },
    });
    const sources = [{ from: { case: "url" as const, value: "https://example.com/a" } }];
    const request = { accountId, generationId, kind: Kind.VIDEO, sources };
    expect((await bench.rpc.storeOutput(request)).output).toMatchObject([{ key }]);
  });

  it("that was cut off after the objects and before the row is done again, once its lease is over", async () => {
    const { accountId, generationId, key } = await bench.stored();
    await bench.rpc.deleteAssets({ accountId, generationId });
    const work = markedDeletion(bench.deps);
    expect(await work.claim(100)).toHaveLength(1);
    await bench.store.delete(key);
    expect(await bench.deleteMarked()).toBe(0);
    bench.clock.advance(5 * 60_000);
    expect(await bench.deleteMarked()).toBe(1);
    expect(await bench.keys()).toEqual([]);
    bench.clock.advance(5 * 60_000);
    expect(await bench.deleteMarked()).toBe(0);
  });

  it("is not taken for done where the storage failed", async () => {
    const { accountId, generationId, key } = await bench.stored();
    await bench.rpc.deleteAssets({ accountId, generationId });
    const down = { ...bench.store, delete: () => Promise.reject(new Error("storage is gone")) };
    await expect(bench.deleteMarked(down)).rejects.toThrow("storage is gone");
    expect(await bench.keys()).toContain(key);
    bench.clock.advance(5 * 60_000);
    expect(await bench.deleteMarked()).toBe(1);
  });

  it("names a generation or a time, and one of an unheard-of generation deletes nothing", async () => {
    const { accountId } = await bench.stored();
    const storedBefore = timestampFromDate(bench.clock.now());
    for (const what of [{}, { generationId: randomId("vgen"), storedBefore }]) {
      const refused = bench.rpc.deleteAssets({ accountId, ...what });
      expect(reasonOf(await refused.catch((error: unknown) => error))).toBe(
        ErrorReason.INVALID_FIELD,
      );
    }
    for (const generationId of ["", "\0", randomId("vgen")]) {
      const { deleted } = await bench.rpc.deleteAssets({ accountId, generationId });
      expect(deleted?.outputs).toBe(0n);
    }
  });
});

describe("retention", () => {
  it("is for ever until it is set, then marks what one account has kept for longer", async () => {
    const accountId = newAccountId();
    const storedAt = addMs(bench.clock.now(), -31 * DAY_MS);
    const old = await bench.stored({ accountId, storedAt });
    const young = await bench.stored({ accountId });
    const other = await bench.stored({ storedAt });
    await markExpired(bench.deps);
    expect(await bench.deleteMarked()).toBe(0);
    expect((await bench.rpc.getUsage({ accountId })).retentionDays).toBeUndefined();

    await bench.rpc.setRetention({ accountId, days: 30 });
    await markExpired(bench.deps);
    expect(await bench.deleteMarked()).toBe(1);
    expect(await bench.statusOf(old.key)).toBe(410);
    expect(await bench.statusOf(young.key)).toBe(200);
    expect(await bench.statusOf(other.key)).toBe(200);
    const usage = await bench.rpc.getUsage({ accountId });
    expect(usage).toMatchObject({ retentionDays: 30, kept: { outputs: 1n } });
    expect(usage.oldestKeptAt).toEqual(timestampFromDate(bench.clock.now()));

    await bench.rpc.setRetention({ accountId });
    bench.clock.advance(100 * DAY_MS);
    await markExpired(bench.deps);
    expect(await bench.deleteMarked()).toBe(0);
    bench.clock.advance(-100 * DAY_MS);
  });

  it("by hand deletes everything of an account that was stored before a time", async () => {
    const accountId = newAccountId();
    for (const days of [3, 2]) {
      await bench.stored({ accountId, storedAt: addMs(bench.clock.now(), -days * DAY_MS) });
    }
    const young = await bench.stored({ accountId });
    const storedBefore = timestampFromDate(addMs(bench.clock.now(), -DAY_MS));
    const { deleted } = await bench.rpc.deleteAssets({ accountId, storedBefore });
    expect(deleted).toMatchObject({ outputs: 2n, bytes: 28n });
    expect(await bench.deleteMarked()).toBe(2);
    expect(await bench.keys()).toEqual([young.key, young.thumbnailKey].toSorted());
  });
});
