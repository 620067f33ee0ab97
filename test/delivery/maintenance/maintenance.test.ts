/** Maintenance of stored files: retention, deletion and the sweep, also after failures and crashes. */
import { utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { addMs, systemClock } from "#runtime/clock.ts";
import { randomId, randomToken } from "#runtime/id.ts";
import { startAssetServer } from "../../../services/delivery/asset-server/asset-server.ts";
import { createFilesystemStore } from "../../../services/delivery/storage/filesystem.ts";
import { assetTokenOf } from "../../../services/delivery/domain/file.ts";
import { thumbnailMaker } from "../../../services/delivery/copy/thumbnail-maker.ts";
import { discardUnstored } from "../../../services/delivery/store/asset-deletions.ts";
import {
  findByTokens,
  replaceTokenIfUnstored,
  type OutputsOf,
  recordThumbnailIfStored,
} from "../../../services/delivery/store/assets.ts";
import {
  markedDeletion,
  maintenanceJobs,
  markExpired,
} from "../../../services/delivery/maintenance/maintenance.ts";
import { sweepUnreferenced } from "../../../services/delivery/maintenance/sweep-unreferenced.ts";
import { newAccountId } from "../../support/account.ts";
import { connectedDatabase } from "../../support/database.ts";
import { forTests } from "../../support/for-tests.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { refusalOf, rpcOf, silentLog, testDeps } from "../test-deps.ts";
import { deleteMarked, recordAsset, reserveAsset } from "../store-asset.ts";
import { createShutdown } from "#runtime/shutdown.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const shutdown = createShutdown({ lameDuckMs: 0, drainMs: 1_000 }, systemClock);

const DAY_MS = 24 * 3_600_000;
const fixture = forTests(open);
const newGeneration = () => ({ accountId: newAccountId(), generationId: randomId("vgen") });
beforeEach(() => fixture.reset());

async function open(cleanup: AsyncDisposableStack) {
  const { path: directory } = cleanup.use(await temporaryFolder());
  const { sql, owner } = cleanup.use(await connectedDatabase("delivery", 2));
  const store = createFilesystemStore(directory);
  // Files have the machine's time, so that with this clock everything that a test stores is two days old.
  const clock = manualClock(addMs(new Date(), 2 * DAY_MS).toISOString());
  const rpc = rpcOf(testDeps({ sql, clock }));
  const deps = { sql, store, clock, log: silentLog };
  const decoder = { imageThumbnail: () => Promise.reject(new Error("nothing is decoded here")) };
  const makeMissing = thumbnailMaker({ ...deps, provenance: "detect", decoder });
  const server = cleanup.use(
    await startAssetServer({ host: "127.0.0.1", port: 0, store, makeMissing, shutdown }),
  );
  const keys = async () => {
    const found: string[] = [];
    for await (const { key } of store.list()) found.push(key);
    return found.toSorted();
  };
  const put = async (key: string, text = "0123456789") => {
    await store.put(key, [Buffer.from(text)]);
    return key;
  };
  return {
    sql,
    owner,
    directory,
    store,
    clock,
    rpc,
    keys,
    put,
    deps,
    path: (key: string) => join(directory, key),
    statusOf: async (key: string) => (await fetch(`${server.url}/${key}`)).status,
    /** A stored output of ten bytes, with a thumbnail of four. */
    async stored(change: Partial<OutputsOf> & { storedAt?: Date } = {}) {
      const { storedAt: at = clock.now(), ...names } = change;
      const of = { ...newGeneration(), ...names };
      const token = await reserveAsset(sql, of, at);
      const key = await put(`${token}.mp4`);
      const thumbnailKey = await put(`${token}.jpg`, "tiny");
      await recordAsset(sql, { token, at });
      await recordThumbnailIfStored(sql, token, { key: thumbnailKey, bytes: 4 });
      return { ...of, key, thumbnailKey };
    },
    deleteMarked: () => deleteMarked(deps),
    async deleteExpired(): Promise<number> {
      await markExpired(deps);
      return deleteMarked(deps);
    },
    async reset() {
      await owner`
        truncate delivery.assets, delivery.asset_retention, delivery.deleted_generations, delivery.discarded_outputs`;
      for (const key of await keys()) await store.delete(key);
    },
  };
}

describe("the sweep of unreferenced objects", () => {
  it("deletes objects without a row or of a deleted one, but not those of a row, young ones, or ones that the service did not make", async () => {
    const { key, thumbnailKey } = await fixture.stored();
    await fixture.rpc.deleteGeneration(await fixture.stored());
    await fixture.put(`${randomToken()}.mp4`);
    await fixture.put(`${assetTokenOf(key)}.png`);
    const foreign = await fixture.put("backup.mp4");
    const young = await fixture.put(`${randomToken()}.mp4`);
    const soon = addMs(fixture.clock.now(), -60_000);
    await utimes(fixture.path(young), soon, soon);
    expect(await sweepUnreferenced(fixture.deps)).toBe(4);
    expect(await fixture.keys()).toEqual([key, thumbnailKey, foreign, young].toSorted());
    expect(await sweepUnreferenced(fixture.deps)).toBe(0);
  });

  it("deletes the objects of an interrupted copy, which then can no longer be recorded", async () => {
    const of = newGeneration();
    const at = fixture.clock.now();
    const token = await reserveAsset(fixture.sql, of, at);
    await fixture.put(`${token}.mp4`);
    await fixture.put(`${token}.jpg`);
    expect(await sweepUnreferenced(fixture.deps)).toBe(2);
    expect(await fixture.keys()).toEqual([]);
    expect(await recordAsset(fixture.sql, { token, at })).toBeUndefined();
    expect(await reserveAsset(fixture.sql, of, at)).not.toBe(token);
  });

  it("never takes the token from an output that was stored meanwhile", async () => {
    const { key } = await fixture.stored();
    const token = assetTokenOf(key) ?? "";
    expect(await replaceTokenIfUnstored(fixture.sql, token, randomToken())).toBe(false);
    expect(await findByTokens(fixture.sql, [token])).toMatchObject([{ key, isStored: true }]);
  });

  it("leaves objects without a row if there are many: the storage may be shared", async () => {
    const unknown = Array.from({ length: 101 }, () => `${randomToken()}.mp4`);
    await Promise.all(unknown.map((key) => writeFile(fixture.path(key), "0123456789")));
    expect(await sweepUnreferenced(fixture.deps)).toBe(0);
    expect(await fixture.keys()).toHaveLength(101);
  });
});

describe("a deletion", () => {
  it("of a whole generation is not undone by a copy that records or reserves at the same time", async () => {
    const of = newGeneration();
    const at = fixture.clock.now();
    const token = await reserveAsset(fixture.sql, of, at);
    // A statement that has begun before sees no new row of delivery.discarded_outputs; here there is none.
    expect(await discardUnstored(fixture.sql, { ...of, at })).toEqual([token]);
    expect(await recordAsset(fixture.sql, { token, at })).toBeUndefined();
    expect(await reserveAsset(fixture.sql, of, at)).toBe("");
  });

  it("deletes the outputs of one generation of one account: they are 410 then, and unknown keys 404", async () => {
    const gone = await fixture.stored();
    const { accountId, generationId } = gone;
    const other = await fixture.stored({ generationId });
    expect(await fixture.statusOf(gone.key)).toBe(200);
    const { deleted } = await fixture.rpc.deleteAssets({ accountId, generationId });
    expect(deleted).toMatchObject({ outputs: 1n, bytes: 14n });
    expect(await fixture.deleteMarked()).toBe(1);
    expect(await fixture.keys()).toEqual([other.key, other.thumbnailKey].toSorted());
    const statuses = [gone.key, gone.thumbnailKey, other.key, `${randomToken()}.mp4`];
    expect(await Promise.all(statuses.map(fixture.statusOf))).toEqual([410, 410, 200, 404]);
  });

  it("is counted once in the usage, and does not change the reply of a repeated StoreOutput", async () => {
    const { accountId, generationId, key } = await fixture.stored();
    await fixture.stored({ accountId });
    await fixture.rpc.deleteAssets({ accountId, generationId });
    await fixture.deleteMarked();
    const again = await fixture.rpc.deleteAssets({ accountId, generationId });
    expect(again.deleted).toMatchObject({ outputs: 0n, bytes: 0n });
    expect(await fixture.rpc.getUsage({ accountId })).toMatchObject({
      kept: { outputs: 1n, bytes: 14n },
      deleted: { outputs: 1n, bytes: 14n },
    });
    const sources = [{ from: { case: "url" as const, value: "https://example.com/a" } }];
    const request = { accountId, generationId, kind: Kind.VIDEO, mode: Mode.LIVE, sources };
    expect((await fixture.rpc.storeOutput(request)).output).toMatchObject([{ key }]);
  });

  it("that was interrupted after the objects and before the row is repeated when its lease ends", async () => {
    const { accountId, generationId, key } = await fixture.stored();
    await fixture.rpc.deleteAssets({ accountId, generationId });
    expect(await markedDeletion(fixture.deps).claim(100)).toHaveLength(1);
    await fixture.store.delete(key);
    expect(await fixture.deleteMarked()).toBe(0);
    fixture.clock.advance(5 * 60_000);
    expect(await fixture.deleteMarked()).toBe(1);
    expect(await fixture.keys()).toEqual([]);
    fixture.clock.advance(5 * 60_000);
    expect(await fixture.deleteMarked()).toBe(0);
  });

  it("requires either a generation or a time, and deletes nothing for an unknown generation", async () => {
    const { accountId } = await fixture.stored();
    const storedBefore = timestampFromDate(fixture.clock.now());
    const both = { generationId: randomId("vgen"), storedBefore };
    for (const what of [{}, both, { generationId: "" }, { generationId: "vgen_\0" }]) {
      const { reason } = await refusalOf(fixture.rpc.deleteAssets({ accountId, ...what }));
      expect(reason).toBe(ErrorReason.INVALID_FIELD);
    }
    const unknown = { accountId, generationId: randomId("vgen") };
    expect((await fixture.rpc.deleteAssets(unknown)).deleted?.outputs).toBe(0n);
  });
});

describe("retention", () => {
  it("is for ever until it is set, then deletes the older outputs of that account", async () => {
    const accountId = newAccountId();
    const storedAt = addMs(fixture.clock.now(), -31 * DAY_MS);
    const old = await fixture.stored({ accountId, storedAt });
    const young = await fixture.stored({ accountId });
    const other = await fixture.stored({ storedAt });
    expect(await fixture.deleteExpired()).toBe(0);
    expect((await fixture.rpc.getUsage({ accountId })).retentionDays).toBeUndefined();

    await fixture.rpc.setRetention({ accountId, days: 30 });
    expect(await fixture.deleteExpired()).toBe(1);
    const keys = [old, young, other].map(({ key }) => key);
    expect(await Promise.all(keys.map(fixture.statusOf))).toEqual([410, 200, 200]);
    const usage = await fixture.rpc.getUsage({ accountId });
    expect(usage).toMatchObject({ retentionDays: 30, kept: { outputs: 1n } });
    expect(usage.oldestKeptAt).toEqual(timestampFromDate(fixture.clock.now()));

    await fixture.rpc.setRetention({ accountId });
    fixture.clock.advance(100 * DAY_MS);
    expect(await fixture.deleteExpired()).toBe(0);
    fixture.clock.advance(-100 * DAY_MS);
  });

  it("can be overridden by a deletion of everything that an account stored before a time", async () => {
    const accountId = newAccountId();
    for (const days of [3, 2]) {
      await fixture.stored({ accountId, storedAt: addMs(fixture.clock.now(), -days * DAY_MS) });
    }
    const young = await fixture.stored({ accountId });
    const storedBefore = timestampFromDate(addMs(fixture.clock.now(), -DAY_MS));
    const { deleted } = await fixture.rpc.deleteAssets({ accountId, storedBefore });
    expect(deleted).toMatchObject({ outputs: 2n, bytes: 28n });
    expect(await fixture.deleteMarked()).toBe(2);
    expect(await fixture.keys()).toEqual([young.key, young.thumbnailKey].toSorted());
  });
});

it.each([
  ["deleted_generations", "deleted_at"],
  ["discarded_outputs", "discarded_at"],
])("%s are forgotten after a week, however many they are", async (table, at) => {
  const { sql, owner, clock, deps, directory } = fixture;
  const forget = maintenanceJobs({ ...deps, copyDirectory: directory }).find(
    ({ name }) => name === "forget ended generations",
  );
  await owner`
    insert into ${owner(`delivery.${table}`)} (account_id, generation_id, ${owner(at)})
    select 'acct', n, ${addMs(clock.now(), -7 * DAY_MS)}::timestamptz - n * interval '1 ms'
    from generate_series(0, 12000) n`;
  const remaining = () => sql`select generation_id as id from ${sql(`delivery.${table}`)}`;
  await forget?.run(AbortSignal.abort());
  expect(await remaining()).toHaveLength(12_001);
  await forget?.run(new AbortController().signal);
  expect(await remaining()).toEqual([{ id: "0" }]);
});
