/** kill -9 of a process that copies an output: a repeated call stores it once, complete, under the same URL. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { assetTokenOf } from "../../../services/delivery/domain/file.ts";
import {
  copierFixture,
  longVideo,
  sha256,
  type CopierFixture,
  type Request,
  type StorageKind,
} from "./copier-fixture.ts";
import { waitingSessions } from "../../support/waiting-sessions.ts";
import { isLong } from "../../support/test-size.ts";

const PART_BYTES = 8 * 1024 * 1024;
const VIDEO_BYTES = { filesystem: 2_000_000, s3: 10_000_000 };

const cleanup = new AsyncDisposableStack();
let fixtures: Record<StorageKind, CopierFixture>;

beforeAll(async () => {
  const open = async (storage: StorageKind) => {
    const video = await longVideo(VIDEO_BYTES[storage]);
    return cleanup.use(await copierFixture({ storage, video }));
  };
  const filesystem = await open("filesystem");
  fixtures = { filesystem, s3: isLong ? await open("s3") : filesystem };
});
beforeEach(async () => {
  for (const fixture of new Set(Object.values(fixtures))) await fixture.reset();
});
afterAll(() => cleanup.disposeAsync());

type Moment = {
  at: string;
  storage: StorageKind;
  /** Much like another one, or slow. */
  isOfLongRuns?: true;
  /** The upstream stalls after this many bytes. */
  upstreamSends?: number;
  /** Where the process hangs: see copier-process.ts. */
  stop?: { STOP_IN: string; STOP_AT_BYTES: string };
  /** What the kill leaves besides the temporary file and the row's token: unfinished uploads, objects. */
  leaves: { uploads: number; objects: string[] };
};

const stopIn = (STOP_IN: string, bytes: number) => ({ STOP_IN, STOP_AT_BYTES: String(bytes) });

const NO_ROW_YET: Moment = {
  at: "after the video is stored and before the row is",
  storage: "filesystem",
  isOfLongRuns: true,
  stop: stopIn("mp4", Infinity),
  leaves: { uploads: 0, objects: ["mp4"] },
};
const MOMENTS: Moment[] = [
  {
    at: "before the first byte of the download",
    storage: "filesystem",
    isOfLongRuns: true,
    upstreamSends: 0,
    leaves: { uploads: 0, objects: [] },
  },
  {
    at: "in the middle of the download",
    storage: "filesystem",
    isOfLongRuns: true,
    upstreamSends: 1_000_000,
    leaves: { uploads: 0, objects: [] },
  },
  {
    at: "in the middle of writing the object",
    storage: "filesystem",
    stop: stopIn("mp4", 1_000_000),
    leaves: { uploads: 1, objects: [] },
  },
  {
    at: "in the middle of a multipart upload",
    storage: "s3",
    isOfLongRuns: true,
    stop: stopIn("mp4", PART_BYTES + 1),
    leaves: { uploads: 1, objects: [] },
  },
  NO_ROW_YET,
];

describe("a process that is killed while it copies", () => {
  it.each(isLong ? MOMENTS : MOMENTS.filter(({ isOfLongRuns }) => !isOfLongRuns))(
    "($storage) $at: the next call completes the copy under the same URL, and maintenance removes the rest",
    async (moment) => {
      const fixture = fixtures[moment.storage];
      const request = fixture.request();
      const token = await killAt(fixture, request, moment);

      const [output] = (await fixture.other.storeOutput(request)).output;
      expect(assetTokenOf(output?.key ?? "")).toBe(token);
      const keys = [output?.thumbnailKey, output?.key];
      expect((await fixture.files()).keys).toEqual(keys);
      await fixture.maintenanceInTwoDays();
      // A bucket's own rule removes those that are left in it.
      const uploads = moment.storage === "s3" ? moment.leaves.uploads : 0;
      expect(await fixture.files()).toEqual({ downloads: 0, uploads, keys });
      await expectStored(fixture, request);
    },
  );

  it("leaves objects that maintenance deletes after a day without another call, and the copy can still be made", async () => {
    const fixture = fixtures.filesystem;
    const request = fixture.request();
    await killAt(fixture, request, NO_ROW_YET);
    await fixture.maintenanceInTwoDays();
    expect(await fixture.files()).toEqual({ downloads: 0, uploads: 0, keys: [] });
    await fixture.other.storeOutput(request);
    await expectStored(fixture, request);
  });

  it("at the thumbnail has recorded the video: that stays as it is, without one", async () => {
    const fixture = fixtures.filesystem;
    const request = fixture.request();
    await using copier = await fixture.startCopier(stopIn("jpg", Infinity));
    const cutOff = settled(copier.storeOutput(request));
    await copier.says("stopped");
    await copier.kill();
    expect(await cutOff).toBe("cut off");
    const key = (await fixture.rowOf(request))?.key ?? "";
    const [output] = (await fixture.other.storeOutput(request)).output;
    expect(output).toMatchObject({ key, bytes: BigInt(fixture.stored.byteLength) });
    expect(output?.thumbnailKey).toBeUndefined();
    await fixture.maintenanceInTwoDays();
    expect(await fixture.files()).toEqual({ downloads: 0, uploads: 0, keys: [key] });
  });

  it("may have sent its last update to the database: that and the update of the next call have one effect", async () => {
    const fixture = fixtures.filesystem;
    const request = fixture.request();
    await using copier = await fixture.startCopier();
    fixture.upstream.sendsBytes = 0;
    const cutOff = settled(copier.storeOutput(request));
    await expect.poll(fixture.upstream.stalls).toBe(1);
    const next = fixture.other.storeOutput(request);
    // Both have reserved the output now, and will write its row when they have stored it.
    await expect.poll(fixture.upstream.stalls).toBe(2);
    const row = await holdRow(fixture, request);
    fixture.upstream.sendRest(1);
    await expect.poll(row.waiting).toBe(1);
    await copier.kill();
    await row.release();
    expect(await cutOff).toBe("cut off");
    const token = (await fixture.rowOf(request))?.token;
    fixture.upstream.sendRest();
    expect((await next).output).toMatchObject([{ key: `${token}.mp4` }]);
    await expectStored(fixture, request);
  });
});

const settled = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "succeeded",
    () => "cut off",
  );

/** Starts a copy in a new process and kills it at a moment; returns the token in the row. */
async function killAt(
  fixture: CopierFixture,
  request: Request,
  { upstreamSends, stop, leaves }: Moment,
) {
  await using copier = await fixture.startCopier(stop);
  fixture.upstream.sendsBytes = upstreamSends ?? Infinity;
  const cutOff = settled(copier.storeOutput(request));
  await (stop ? copier.says("stopped") : downloaded(fixture, upstreamSends ?? 0));
  await copier.kill();
  expect(await cutOff).toBe("cut off");
  fixture.upstream.sendsBytes = Infinity;

  const row = await fixture.rowOf(request);
  expect(row?.token).toBeDefined();
  expect(row?.key ?? null).toBeNull();
  const keys = leaves.objects.map((extension) => `${row?.token}.${extension}`);
  expect(await fixture.files()).toEqual({ downloads: 1, uploads: leaves.uploads, keys });
  return row?.token;
}

/** Waits until the only temporary file has this length. */
async function downloaded({ copyDirectory }: CopierFixture, bytes: number): Promise<void> {
  const lengths = async () => {
    const names = await readdir(copyDirectory).catch(() => []);
    return Promise.all(names.map(async (name) => (await stat(join(copyDirectory, name))).size));
  };
  await expect.poll(lengths).toEqual([bytes]);
}

/** Expects that the row, the reply to a repeated call, storage and the URL agree on one complete output. */
async function expectStored(fixture: CopierFixture, request: Request): Promise<void> {
  const { stored, other } = fixture;
  const row = await fixture.rowOf(request);
  const key = `${row?.token}.mp4`;
  const thumbnailKey = `${row?.token}.jpg`;
  const bytes = BigInt(stored.byteLength);
  expect(row).toMatchObject({ key, bytes, sha256: sha256(stored) });
  const { output } = await other.storeOutput(request);
  expect(output).toMatchObject([{ key, thumbnailKey, bytes }]);
  expect((await fixture.files()).keys).toEqual([thumbnailKey, key]);
  const response = await fetch(`${other.assetsUrl}/${key}`);
  expect(sha256(await response.bytes())).toBe(sha256(stored));
  const thumbnail = await fetch(`${other.assetsUrl}/${thumbnailKey}`);
  expect([...(await thumbnail.bytes()).subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
}

/** Locks an output's row. */
async function holdRow({ sql }: CopierFixture, { accountId, generationId }: Request) {
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const holding = sql.begin(async (tx) => {
    await tx`set local idle_in_transaction_session_timeout = 0`;
    await tx`
      select 1 from delivery.assets
      where account_id = ${accountId} and owner_id = ${generationId} for update`;
    held.resolve();
    await released.promise;
  });
  await Promise.race([held.promise, holding]);
  return {
    /** How many statements wait for the lock. */
    waiting: () => waitingSessions(sql),
    release: async (): Promise<void> => {
      released.resolve();
      await holding;
    },
  };
}
