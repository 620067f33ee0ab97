/** The object stores for a folder and for S3: the conformance suite, and what is specific to each. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createFilesystemStore } from "../../../services/delivery/storage/filesystem.ts";
import { readWhole, type ObjectStore } from "../../../services/delivery/storage/object-store.ts";
import { createS3Store } from "../../../services/delivery/storage/s3.ts";
import { memoryStore } from "../memory-store.ts";
import { forTests } from "../../support/for-tests.ts";
import { startS3 } from "../../support/s3.ts";
import { folderForTests } from "../../support/temporary-folder.ts";

const MIB = 1024 * 1024;

const directory = folderForTests();

describe("the filesystem store", () => {
  objectStoreSuite(() => createFilesystemStore(join(directory, "files")));

  it("leaves no temporary file behind, neither after success nor after failure", async () => {
    const root = join(directory, "clean");
    const store = createFilesystemStore(root);
    await store.put("a.mp4", chunks(pattern(10)));
    await expect(store.put("b.mp4", cut(10))).rejects.toThrow("upstream hung up");
    expect(await readdir(join(root, ".incoming"))).toEqual([]);
    expect((await readdir(root)).toSorted()).toEqual([".incoming", "a.mp4"]);
  });

  it("removes the data of puts that never ended, except for young ones", async () => {
    const root = join(directory, "unfinished");
    const store = createFilesystemStore(root);
    const left = async (before: number) => {
      await store.removeUnfinished?.(new Date(before));
      return (await readdir(join(root, ".incoming"))).length;
    };
    const ends = [await beginPut(store, "1.mp4"), await beginPut(store, "2.mp4")];
    expect(await left(Date.now() - 60_000)).toBe(2);
    expect(await left(Date.now() + 60_000)).toBe(0);
    for (const end of ends) await expect(end()).rejects.toBeInstanceOf(Error);
    expect(await store.head("1.mp4")).toBeUndefined();
  });
});

describe("the S3 store", () => {
  const s3 = forTests(() => startS3());
  const store = forTests(async () => {
    const opened = createS3Store(s3.config);
    return { ...opened, [Symbol.asyncDispose]: async () => opened[Symbol.dispose]() };
  });
  afterEach(() => vi.unstubAllEnvs());

  objectStoreSuite(() => store);

  it("takes no missing file of credentials for a missing object", async () => {
    const noFile = Object.assign(new Error("no file"), { code: "ENOENT" });
    const credentials = () => Promise.reject(noFile);
    using other = createS3Store({ ...s3.config, credentials: credentials as never });
    await expect(other.head("a.mp4")).rejects.toThrow("no file");
    await expect(other.get("a.mp4")).rejects.toThrow("no file");
  });

  it("aborts the multipart upload of a body that failed", async () => {
    const before = s3.requests().length;
    await expect(store.put("aborted.mp4", cut(17 * MIB))).rejects.toThrow("upstream hung up");
    const methods = s3.requests().slice(before);
    expect(methods.map((request) => request.method)).toEqual(["POST", "PUT", "PUT", "DELETE"]);
    expect(methods.at(-1)?.url).toContain("uploadId=");
  });

  it("stores the caching headers that direct readers of the bucket receive", async () => {
    for (const bytes of [10, 9 * MIB]) {
      const key = `cached-${bytes}.mp4`;
      await store.put(key, chunks(pattern(bytes)));
      const response = await fetch(`${s3.config.endpoint}/${s3.config.bucket}/${key}`);
      expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(response.headers.get("content-type")).toBe("video/mp4");
      await response.body?.cancel();
    }
  });

  it("fails if the bucket is missing, instead of finding nothing", async () => {
    using other = createS3Store({ ...s3.config, bucket: "no-such-bucket" });
    await expect(other.get("a.mp4")).rejects.toThrow("bucket");
    await expect(other.put("a.mp4", chunks(pattern(10)))).rejects.toThrow("bucket");
  });

  it("tries again when the bucket is too busy, and stores nothing when it stays so", async () => {
    vi.stubEnv("AWS_MAX_ATTEMPTS", "1");
    using own = createS3Store(s3.config);
    const put = (key: string) => own.put(key, chunks(pattern(10)));
    s3.slowDown(2);
    await put("busy.mp4");
    expect(await store.head("busy.mp4")).toEqual({ bytes: 10 });
    s3.slowDown(Infinity);
    await expect(put("later.mp4")).rejects.toThrow("reduce your request rate");
    s3.slowDown(0);
    expect(await store.head("later.mp4")).toBeUndefined();
    await put("later.mp4");
    expect(await store.head("later.mp4")).toEqual({ bytes: 10 });
  });

  it("gives up on a silent bucket, whatever waits for it", async () => {
    s3.setHanging(true);
    using hasty = createS3Store(s3.config, { requestMs: 60_000, readMs: 50, putMs: 1_000 });
    const puts = Array.from({ length: 3 }, (_, i) => hasty.put(`${i}.mp4`, chunks(pattern(9e6))));
    const calls = [...puts, hasty.head("a.mp4"), hasty.get("a.mp4")];
    const outcomes = await Promise.allSettled(calls).finally(() => s3.setHanging(false));
    expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => "rejected"));
  });
});

it("an object that is read whole is refused where it is too long", async () => {
  const store = { ...memoryStore(), get: async () => Readable.from(chunks(pattern(MIB))) };
  expect(await readWhole(store, "a.png", MIB - 1)).toBe("too long");
  expect(await readWhole(store, "a.png", MIB)).toEqual(pattern(MIB));
});

/** Declares the tests that every store passes; `store` is called within each. */
function objectStoreSuite(store: () => ObjectStore): void {
  const read = async (key: string, range?: { start: number; end: number }) => {
    const found = await store().get(key, range);
    return found && (await buffer(found));
  };

  it.each([
    ["an empty body", 0],
    ["a small body", 1_000],
    ["exactly one part", 8 * MIB],
    ["a body of several parts", 9 * MIB + 7],
  ])("stores %s whole", async (name, bytes) => {
    const key = `suite-${name.replaceAll(" ", "-")}.mp4`;
    const content = pattern(bytes);
    await store().put(key, chunks(content));
    expect(await store().head(key)).toEqual({ bytes });
    expect((await read(key))?.equals(content)).toBe(true);
  });

  it("reads a range, both ends included", async () => {
    const content = pattern(1_000);
    await store().put("suite-ranged.mp4", chunks(content));
    const found = await read("suite-ranged.mp4", { start: 10, end: 19 });
    expect(found).toEqual(content.subarray(10, 20));
    expect(await read("suite-ranged.mp4", { start: 999, end: 999 })).toHaveLength(1);
  });

  it("deletes objects, and accepts keys without one", async () => {
    await store().put("suite-deleted.mp4", chunks(pattern(5)));
    await store().delete("suite-deleted.mp4");
    await store().delete("suite-deleted.mp4");
    expect(await store().head("suite-deleted.mp4")).toBeUndefined();
    expect(await store().get("suite-deleted.mp4")).toBeUndefined();
  });

  it.each([1_000, 9 * MIB])("stores nothing if a body fails after %i bytes", async (bytes) => {
    const key = `suite-broken-${bytes}.mp4`;
    await expect(store().put(key, cut(bytes))).rejects.toThrow("upstream hung up");
    expect(await store().head(key)).toBeUndefined();
  });

  it("refuses keys that are no names of files", async () => {
    const keys = ["", "/a", "a/", "a/b", "../a", "..", ".hidden", "A.mp4", "a b"];
    for (const key of [...keys, "a\0b", "a%2fb"]) {
      const put = store().put(key, chunks(pattern(1)));
      const calls = [put, store().head(key), store().get(key), store().delete(key)];
      for (const outcome of await Promise.allSettled(calls))
        expect(outcome).toMatchObject({ reason: expect.any(RangeError) as RangeError });
    }
  });

  it("lists every stored object with its time, and no unfinished ones", async () => {
    const keys = ["listed-a.mp4", "listed-b.mp4"];
    const begin = Date.now();
    for (const key of keys) await store().put(key, chunks(pattern(10)));
    const end = await beginPut(store(), "listed-unfinished.mp4");
    const found = new Map<string, Date>();
    for await (const { key, storedAt } of store().list()) found.set(key, storedAt);
    const listed = [...found.keys()].filter((key) => key.startsWith("listed"));
    expect(listed.toSorted()).toEqual(keys);
    for (const key of keys) {
      // S3 times have a resolution of one second.
      expect(found.get(key)?.getTime()).toBeGreaterThan(begin - 2_000);
      expect(found.get(key)?.getTime()).toBeLessThan(Date.now() + 2_000);
    }
    await end();
  });
}

/** Begins a put and waits until its first part is stored; what it returns sends the rest. */
async function beginPut(store: ObjectStore, key: string) {
  const halfway = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const body = (async function* () {
    yield* chunks(pattern(9 * MIB));
    halfway.resolve();
    await gate.promise;
    yield* chunks(pattern(MIB));
  })();
  const put = store.put(key, body);
  put.catch(() => undefined);
  await halfway.promise;
  return () => {
    gate.resolve();
    return put;
  };
}

const pattern = (bytes: number) => Buffer.alloc(bytes, Uint8Array.from(Array(251).keys()));

// The chunk size is odd, so that chunks and parts never line up.
async function* chunks(content: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.byteLength; at += 99_991) yield content.subarray(at, at + 99_991);
}

/** A body that fails after so many bytes. */
async function* cut(bytes: number): AsyncGenerator<Uint8Array> {
  yield* chunks(pattern(bytes));
  throw new Error("upstream hung up");
}
