/** kill -9 of a process that copies an output: whoever is asked again stores it once, whole, under the same URL. */
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "#runtime/clock.ts";
import { randomToken } from "#runtime/id.ts";
import { assetTokenOf } from "../../../services/delivery/domain/asset-key.ts";
import { reserveAssetToken } from "../../../services/delivery/store/assets.ts";
import { copierBench, longVideo, sha256 } from "./copier-fixture.ts";
import type { CopierBench, Request, StorageKind } from "./copier-fixture.ts";

const PART_BYTES = 8 * 1024 * 1024;
const VIDEO_BYTES = { filesystem: 2_000_000, s3: 10_000_000 };
const SOON = { timeout: 20_000, interval: 10 };

const parts = new AsyncDisposableStack();
let benches: Record<StorageKind, CopierBench>;

beforeAll(async () => {
  const compileCache = await mkdtemp(join(tmpdir(), "compiled-"));
  parts.defer(() => rm(compileCache, { recursive: true, force: true }));
  const open = async (storage: StorageKind) => {
    const video = await longVideo(VIDEO_BYTES[storage]);
    return parts.use(await copierBench({ storage, video, compileCache }));
  };
  const [filesystem, s3] = await Promise.all([open("filesystem"), open("s3")]);
  benches = { filesystem, s3 };
});
beforeEach(() => Promise.all(Object.values(benches).map((bench) => bench.reset())));
afterAll(() => parts.disposeAsync());

type Moment = {
  at: string;
  storage: StorageKind;
  /** The upstream falls silent after so many bytes. */
  upstreamSends?: number;
  /** Where the process stops: see copier-process.ts. */
  stop?: { STOP_IN: string; STOP_AT_BYTES: string };
  /** What the kill leaves beside the download: the row's token, uploads that never ended, objects. */
  leaves: { token: boolean; uploads: number; objects: string[] };
};

const stopIn = (STOP_IN: string, bytes: number) => ({ STOP_IN, STOP_AT_BYTES: String(bytes) });

const NO_THUMBNAIL_YET: Moment = {
  at: "between the video and its thumbnail",
  storage: "filesystem",
  stop: stopIn("mp4", Infinity),
  leaves: { token: true, uploads: 0, objects: ["mp4"] },
};
const MOMENTS: Moment[] = [
  {
    at: "before the first byte of the download",
    storage: "filesystem",
    upstreamSends: 0,
    leaves: { token: false, uploads: 0, objects: [] },
  },
  {
    at: "in the middle of the download",
    storage: "filesystem",
    upstreamSends: 1_000_000,
    leaves: { token: false, uploads: 0, objects: [] },
  },
  {
    at: "in the middle of writing the object",
    storage: "filesystem",
    stop: stopIn("mp4", 1_000_000),
    leaves: { token: true, uploads: 1, objects: [] },
  },
  {
    at: "in the middle of a multipart upload",
    storage: "s3",
    stop: stopIn("mp4", PART_BYTES + 1),
    leaves: { token: true, uploads: 1, objects: [] },
  },
  {
    at: "after both are stored, the row not yet",
    storage: "filesystem",
    stop: stopIn("jpg", Infinity),
    leaves: { token: true, uploads: 0, objects: ["jpg", "mp4"] },
  },
];

describe("a process that is killed while it copies", () => {
  it.each(MOMENTS)(
    "($storage) $at, leaves what the next one completes under the same URL, and upkeep the rest",
    async (moment) => {
      const bench = benches[moment.storage];
      const request = bench.request();
      const token = await killAt(bench, request, moment);

      const [output] = (await bench.other.storeOutput(request)).output;
      // Where the kill came before there was a token, any will do.
      expect([undefined, assetTokenOf(output?.key ?? "")]).toContain(token);
      const keys = [output?.thumbnailKey, output?.key];
      expect((await bench.there()).keys).toEqual(keys);
      await bench.upkeepInTwoDays();
      expect(await bench.there()).toEqual({ downloads: 0, uploads: 0, keys });
      await expectStored(bench, request);
    },
  );

  it("leaves nothing to keep where nobody asks again for a day, and the copy can still be made", async () => {
    const bench = benches.filesystem;
    const request = bench.request();
    await killAt(bench, request, NO_THUMBNAIL_YET);
    await bench.upkeepInTwoDays();
    expect(await bench.there()).toEqual({ downloads: 0, uploads: 0, keys: [] });
    await bench.other.storeOutput(request);
    await expectStored(bench, request);
  });

  it("may have asked the database for the row's last change, which then happens once, with the next one's", async () => {
    const bench = benches.filesystem;
    const request = bench.request();
    const id = { ...request, position: 0 };
    const token = await reserveAssetToken(bench.sql, id, randomToken(), systemClock.now());
    const row = await holdRow(bench, request);
    await using copier = await bench.startCopier();
    const cutOff = outcomeOf(copier.storeOutput(request));
    await expect.poll(row.waiting, SOON).toBe(1);
    await copier.kill();
    expect(await cutOff).toBe("cut off");

    const next = bench.other.storeOutput(request);
    await expect.poll(row.waiting, SOON).toBe(2);
    await row.release();
    expect((await next).output).toMatchObject([{ key: `${token}.mp4` }]);
    await expectStored(bench, request);
  });
});

const outcomeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "answered",
    () => "cut off",
  );

/** Asks a process of its own for a copy and kills it at a moment; answers with the token in the row. */
async function killAt(
  bench: CopierBench,
  request: Request,
  { upstreamSends, stop, leaves }: Moment,
) {
  await using copier = await bench.startCopier(stop);
  bench.upstream.sendsBytes = upstreamSends ?? Infinity;
  const cutOff = outcomeOf(copier.storeOutput(request));
  await (stop ? copier.says("stopped") : downloaded(bench, upstreamSends ?? 0));
  await copier.kill();
  expect(await cutOff).toBe("cut off");
  bench.upstream.sendsBytes = Infinity;

  const row = await bench.rowOf(request);
  expect(row !== undefined).toBe(leaves.token);
  expect(row?.key ?? null).toBeNull();
  const keys = leaves.objects.map((extension) => `${row?.token}.${extension}`);
  expect(await bench.there()).toEqual({ downloads: 1, uploads: leaves.uploads, keys });
  return row?.token;
}

/** Waits until one download has come so far. */
async function downloaded({ copies }: CopierBench, bytes: number): Promise<void> {
  const lengths = async () => {
    const names = await readdir(copies).catch(() => []);
    return Promise.all(names.map(async (name) => (await stat(join(copies, name))).size));
  };
  await expect.poll(lengths, SOON).toEqual([bytes]);
}

/** The row, the answer to a repeated call, storage and the URL tell of one and the same whole output. */
async function expectStored(bench: CopierBench, request: Request): Promise<void> {
  const { video, other } = bench;
  const row = await bench.rowOf(request);
  const key = `${row?.token}.mp4`;
  const thumbnailKey = `${row?.token}.jpg`;
  const bytes = BigInt(video.byteLength);
  expect(row).toMatchObject({ key, bytes, sha256: sha256(video) });
  const { output } = await other.storeOutput(request);
  expect(output).toMatchObject([{ key, thumbnailKey, bytes }]);
  expect((await bench.there()).keys).toEqual([thumbnailKey, key]);
  const answer = await fetch(`${other.assetsUrl}/${key}`);
  expect(sha256(await answer.bytes())).toBe(sha256(video));
  const thumbnail = await fetch(`${other.assetsUrl}/${thumbnailKey}`);
  expect([...(await thumbnail.bytes()).subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
}

/** Holds the lock of an output's row. */
async function holdRow({ sql }: CopierBench, { accountId, generationId }: Request) {
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const holding = sql.begin(async (tx) => {
    await tx`set local idle_in_transaction_session_timeout = 0`;
    await tx`
      select 1 from delivery.assets
      where account_id = ${accountId} and generation_id = ${generationId} for update`;
    held.resolve();
    await released.promise;
  });
  await Promise.race([held.promise, holding]);
  return {
    /** How many statements wait for it. */
    waiting: async (): Promise<number> => {
      const waiting = await sql`
        select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      return waiting.length;
    },
    release: async (): Promise<void> => {
      released.resolve();
      await holding;
    },
  };
}
