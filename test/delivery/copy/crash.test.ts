/** A copy that ends with its process, at any point: a repeated call stores it once, complete, under the same URL. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { addMs } from "#runtime/clock.ts";
import { maintenanceJobs } from "../../../services/delivery/maintenance/maintenance.ts";
import { racing, waitingSessions } from "../../support/waiting-sessions.ts";
import { silentLog } from "../test-deps.ts";
import { deleteMarked, recordAsset } from "../store-asset.ts";
import { copierFixture, file, later } from "./store-output-fixture.ts";
import type { Transaction } from "#runtime/postgres/connect.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";

const TWO_DAYS_MS = 2 * 24 * 3_600_000;
const fixture = copierFixture();

type Request = ReturnType<typeof fixture.request>;

/** Copies on a replica that goes no further than the first byte of the object with this suffix, or than its end. */
async function stopped(request: Request, suffix: string, at: "first byte" | "end") {
  const reached = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  const stop = () => {
    reached.resolve();
    return ended.promise;
  };
  const { files } = fixture;
  const replica = fixture.replicaWith({
    ...files,
    async put(key, body) {
      if (!key.endsWith(suffix)) return files.put(key, body);
      const cut = async function* () {
        for await (const chunk of body) {
          yield chunk.subarray(0, 1);
          await stop();
        }
      };
      await files.put(key, at === "end" ? body : cut());
      if (at === "end") await stop();
    },
  });
  const call = replica.storeOutput(request).catch(() => {});
  await reached.promise;
  return {
    async [Symbol.asyncDispose]() {
      ended.reject(new Error("the test is over"));
      await call;
    },
  };
}

const namesIn = (directory: string) => readdir(directory).catch(() => []);
const left = async () => ({
  downloads: (await namesIn(fixture.copyDirectory)).length,
  uploads: (await namesIn(join(fixture.assets, ".incoming"))).length,
  keys: await fixture.objects(),
});

const rowOf = async ({ generationId }: Request) => {
  const [row] = await fixture.sql<{ token: string; key: string | null }[]>`
    select token, key from delivery.assets where owner_id = ${generationId}`;
  return row ?? { token: "", key: null };
};

/** Runs every job of maintenance, by a clock that is two days ahead of the files. */
async function maintenanceInTwoDays(): Promise<void> {
  const clock = { ...fixture.clock, now: () => addMs(new Date(), TWO_DAYS_MS) };
  const { sql, files: store, copyDirectory } = fixture;
  for (const job of maintenanceJobs({ sql, clock, store, copyDirectory, log: silentLog })) {
    await job.run(new AbortController().signal);
  }
}

describe("a process that ends while it copies", () => {
  it("leaves files that maintenance removes, and the next call completes the copy under the same URL", async () => {
    const request = fixture.request("/a");
    await using _ended = await stopped(request, "mp4", "first byte");
    const { token } = await rowOf(request);
    expect(await left()).toEqual({ downloads: 1, uploads: 1, keys: [] });
    const { output } = await fixture.call(request);
    expect(output).toMatchObject([{ key: `${token}.mp4`, thumbnailKey: `${token}.jpg` }]);
    await maintenanceInTwoDays();
    const keys = [`${token}.jpg`, `${token}.mp4`];
    expect(await left()).toEqual({ downloads: 0, uploads: 0, keys });
    expect((await fixture.files.head(`${token}.mp4`))?.bytes).toBe(fixture.video.byteLength);
    expect((await fixture.call(request)).output).toEqual(output);
  });

  it("leaves objects that maintenance deletes after a day without another call, and the copy can still be made", async () => {
    const request = fixture.request("/a");
    await using _ended = await stopped(request, "mp4", "end");
    const { token } = await rowOf(request);
    expect(await left()).toEqual({ downloads: 1, uploads: 0, keys: [`${token}.mp4`] });
    await maintenanceInTwoDays();
    expect(await left()).toEqual({ downloads: 0, uploads: 0, keys: [] });
    const [output] = (await fixture.call(request)).output;
    expect(await fixture.objects()).toEqual([output?.thumbnailKey, output?.key]);
  });

  it("at the thumbnail has recorded the video: that stays as it is, without one", async () => {
    const request = fixture.request("/a");
    await using _ended = await stopped(request, "jpg", "end");
    const { key } = await rowOf(request);
    const [output] = (await fixture.call(request)).output;
    expect(output).toMatchObject({ key, bytes: BigInt(fixture.video.byteLength) });
    expect(output?.thumbnailKey).toBeUndefined();
    await maintenanceInTwoDays();
    expect(await left()).toEqual({ downloads: 0, uploads: 0, keys: [key] });
  });

  it("may have sent its last update to the database: that and the update of the next call have one effect", async () => {
    const request = fixture.request("/a");
    const answer = Promise.withResolvers<void>();
    fixture.upstream.replies.set("/a", later(answer.promise, file(fixture.video)));
    const replicas = [fixture.rpc, fixture.replicaWith(fixture.files)];
    const calls = replicas.map((replica) => replica.storeOutput(request));
    // Both have reserved the output then, and write its row when they have stored it.
    await expect.poll(() => fixture.upstream.requested).toHaveLength(2);
    await fixture.sql.begin(async (other) => {
      await other`select from delivery.assets where owner_id = ${request.generationId} for update`;
      answer.resolve();
      await expect.poll(() => waitingSessions(fixture.sql)).toBe(2);
    });
    const { token } = await rowOf(request);
    for (const { output } of await Promise.all(calls)) {
      expect(output).toMatchObject([{ key: `${token}.mp4`, thumbnailKey: `${token}.jpg` }]);
    }
    expect(await fixture.objects()).toEqual([`${token}.jpg`, `${token}.mp4`]);
  });
});

it("an output stays deleted where another replica copies it once more", async () => {
  const request = fixture.request("/a");
  const { files: store, rpc } = fixture;
  const replica = fixture.replicaWith({
    ...store,
    async put(...object) {
      await rpc.storeOutput(request);
      await rpc.deleteAssets(request);
      await deleteMarked({ ...fixture, store });
      await store.put(...object);
    },
  });
  await expect(replica.storeOutput(request)).rejects.toThrow("could not be copied now");
  expect(await fixture.objects()).toEqual([]);
});

describe("the outputs of a generation that ended without success", () => {
  const keptOf = ({ accountId, generationId }: { accountId: string; generationId: string }) =>
    fixture.sql`select from delivery.assets where account_id = ${accountId}
      and owner_id = ${generationId} and stored_at is not null and delete_at is null`;

  it("are marked for deletion, and are not stored again, also beside others of the account", async () => {
    const request = fixture.request("/a");
    const other = { ...fixture.request("/a"), accountId: request.accountId };
    await fixture.call(request);
    for (let n = 0; n < 2; n++) await fixture.rpc.discardOutput(request);
    expect(await keptOf(request)).toHaveLength(0);
    const [refused] = await Promise.all([fixture.refusalOf(request), fixture.call(other)]);
    expect(refused).toBe(ErrorReason.SOURCE_GONE);
    expect(await keptOf(other)).toHaveLength(1);
    expect(fixture.upstream.requested).toEqual(["/a", "/a"]);
  });

  it("are not recorded by a copy that was running", async () => {
    const answer = Promise.withResolvers<void>();
    fixture.upstream.replies.set("/a", later(answer.promise, file(fixture.video)));
    const request = fixture.request("/a");
    const refused = fixture.refusalOf(request);
    await expect.poll(() => fixture.upstream.requested).toHaveLength(1);
    await fixture.rpc.discardOutput(request);
    answer.resolve();
    expect(await refused).toBe(ErrorReason.UNAVAILABLE);
    expect(await keptOf(request)).toHaveLength(0);
    expect(await fixture.objects()).toEqual([]);
  });

  it("are deleted where the copy ended before it recorded them", async () => {
    const request = fixture.request("/a");
    fixture.failing.puts = 1;
    expect(await fixture.refusalOf(request)).toBe(ErrorReason.UNAVAILABLE);
    expect(await fixture.objects()).toHaveLength(1);
    fixture.failing.deletes = 1;
    await expect(fixture.rpc.discardOutput(request)).rejects.toThrow("[internal]");
    await fixture.rpc.discardOutput(request);
    expect(await fixture.objects()).toEqual([]);
  });

  it("are marked where a copy is recording them at that moment", async () => {
    const request = fixture.request("/a");
    fixture.failing.puts = 1;
    await fixture.refusalOf(request);
    const { token } = await rowOf(request);
    const records = (tx: Transaction) => recordAsset(tx, { token, at: fixture.clock.now() });
    await racing(fixture.sql, records, () => fixture.rpc.discardOutput(request));
    expect(await keptOf(request)).toHaveLength(0);
  });
});
