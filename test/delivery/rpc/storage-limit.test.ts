/** What an account keeps is counted as it is changed, and what is too much is refused. */
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { addMs } from "#runtime/clock.ts";
import { randomId } from "#runtime/id.ts";
import { faultsOf } from "#runtime/rpc/errors.ts";
import { markExpired } from "../../../services/delivery/maintenance/maintenance.ts";
import { recordThumbnailIfStored } from "../../../services/delivery/store/assets.ts";
import { modeName } from "#vocabulary/names.ts";
import { recordAsset, reserveAsset } from "../store-asset.ts";
import { HOUR_MS, PNG, filesFixture } from "./files-fixture.ts";

const SIZE = BigInt(PNG.byteLength);
const DAY_MS = 24 * HOUR_MS;

const newAccount = filesFixture();

function setUp(mode: Mode = Mode.LIVE) {
  const files = newAccount(mode);
  const { sql, rpc, accountId, owner, clock } = files;
  /** Stores an output as a copy does. */
  const output = async (bytes: number, generationId = randomId("vgen")) => {
    const at = clock.now();
    const expiresAt = mode === Mode.TEST ? addMs(at, 7 * DAY_MS) : null;
    const of = { accountId, generationId };
    const token = await reserveAsset(sql, of, at, { mode: modeName(mode), expiresAt });
    const stored = await recordAsset(sql, { token, bytes, at });
    return { token, isStored: stored !== undefined };
  };
  const storage = async (of = mode) =>
    (await rpc.getUsage({ accountId })).storage.find((one) => one.mode === of);
  const used = async (of = mode) => (await storage(of))?.usedBytes;
  const limit = (limitBytes?: bigint) =>
    rpc.setStorageLimit(limitBytes === undefined ? owner : { ...owner, limitBytes });
  return { ...files, output, storage, used, limit };
}

/** What a refused call says. */
const faultOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => faultsOf(error)[0],
  );

const reached = (limit: bigint, used: bigint) => ({
  reason: ErrorReason.STORAGE_LIMIT_REACHED,
  metadata: { limit: `${limit}`, used: `${used}` },
});

describe.each([Mode.LIVE, Mode.TEST])("what is kept in mode %i", (mode) => {
  const other = mode === Mode.LIVE ? Mode.TEST : Mode.LIVE;

  it("counts files, outputs and thumbnails, from when they are stored until they are deleted", async () => {
    const { sql, send, remove, use, deleteGeneration, output, used, clock, deps } = setUp(mode);
    const [file, inUse] = [await send(), await send()];
    const generationId = await use(inUse.url);
    const { token } = await output(1_000, generationId);
    const thumbnail = { key: `${token}.jpg`, bytes: 30 };
    for (let i = 0; i < 2; i++) await recordThumbnailIfStored(sql, token, thumbnail);
    expect(await used()).toBe(2n * SIZE + 1_030n);
    expect(await used(other)).toBe(0n);
    for (let i = 0; i < 2; i++) await remove(file.id).catch(() => {});
    expect(await used()).toBe(SIZE + 1_030n);
    for (let i = 0; i < 2; i++) await deleteGeneration(generationId);
    expect(await used()).toBe(0n);
    await send();
    clock.advance(DAY_MS);
    await markExpired(deps);
    expect(await used()).toBe(0n);
  });

  it("is exact where much is stored, sent again and deleted at the same time", async () => {
    const { send, use, deleteGeneration, output, used } = setUp(mode);
    const kept = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        const fileId = randomId("file");
        const [file, shared] = await Promise.all([send(fileId), send(), send(fileId)]);
        const generations = [await use(file.url), await use(shared.url)];
        await use(shared.url, generations[0]);
        await Promise.all(generations.map((id) => output(100 + index, id)));
        const gone = index % 3 === 0 ? generations : generations.slice(0, index % 3 === 1 ? 1 : 0);
        await Promise.all(gone.map(deleteGeneration));
        // The second generation uses one of the two files, the first one both.
        const left = 2 - gone.length;
        return BigInt(left * (100 + index)) + BigInt(left) * SIZE;
      }),
    );
    expect(await used()).toBe(kept.reduce((sum, bytes) => sum + bytes, 0n));
  });
});

describe("the limit of what an account keeps", () => {
  it("is 2 GB in test mode and none in live mode, until operators set it", async () => {
    const [test, live] = [setUp(Mode.TEST), setUp(Mode.LIVE)];
    expect(await test.storage()).toMatchObject({ limitBytes: 2_000_000_000n });
    expect((await live.storage())?.limitBytes).toBeUndefined();
    expect((await live.limit(70n)).storage).toMatchObject({ usedBytes: 0n, limitBytes: 70n });
    expect((await test.limit(0n)).storage?.limitBytes).toBeUndefined();
    expect((await test.limit()).storage?.limitBytes).toBe(2_000_000_000n);
  });

  it.each([Mode.LIVE, Mode.TEST])(
    "refuses a file that would exceed it, and tells both (mode %i)",
    async (mode) => {
      const { send, create, remove, limit, store, used } = setUp(mode);
      const first = await send();
      await limit(2n * SIZE - 1n);
      expect(await faultOf(send())).toMatchObject(reached(2n * SIZE - 1n, SIZE));
      expect(store.objects.size).toBe(1);
      await limit(2n * SIZE);
      await send();
      expect(await faultOf(send())).toMatchObject(reached(2n * SIZE, 2n * SIZE));
      // What is stored already is answered as before.
      expect(await create(first.id)).toMatchObject({ replayed: true });
      await remove(first.id);
      await send();
      expect(await used()).toBe(2n * SIZE);
    },
  );

  it("holds for files that are sent at the same time", async () => {
    const { send, limit, used } = setUp();
    await limit(3n * SIZE);
    const faults = await Promise.all(Array.from({ length: 8 }, () => faultOf(send())));
    expect(faults.filter((fault) => fault === undefined)).toHaveLength(3);
    expect(await used()).toBe(3n * SIZE);
  });

  it("refuses no file that a call with its id has stored meanwhile", async () => {
    const { create, limit, store, used } = setUp();
    const fileId = randomId("file");
    const put = store.put.bind(store);
    store.put = async (...object) => {
      store.put = put;
      await create(fileId);
      await limit(1n);
      await put(...object);
    };
    expect((await create(fileId)).file?.id).toBe(fileId);
    expect([store.objects.size, await used()]).toEqual([1, SIZE]);
  });

  it("refuses creates that use files once it is reached, and keeps none of these; outputs are stored", async () => {
    const { send, remove, use, deleteGeneration, output, limit, used } = setUp();
    const file = await send();
    await limit(SIZE + 1n);
    const generationId = await use(file.url);
    expect((await output(1_000, generationId)).isStored).toBe(true);
    expect(await faultOf(use(file.url))).toMatchObject(reached(SIZE + 1n, SIZE + 1_000n));
    expect(await use("https://elsewhere.example/a.png")).toMatch(/^vgen_/);
    await deleteGeneration(generationId);
    expect(await used()).toBe(0n);
    await remove((await send()).id);
  });
});
