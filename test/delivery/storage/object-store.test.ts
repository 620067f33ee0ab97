/** The object stores for a folder and for S3: the conformance suite, and what is specific to each. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFilesystemStore } from "../../../services/delivery/storage/filesystem.ts";
import type { ObjectStore } from "../../../services/delivery/storage/object-store.ts";
import { createS3Store } from "../../../services/delivery/storage/s3.ts";
import { beginPut, objectStoreSuite } from "./object-store-suite.ts";
import { startS3 } from "../../support/s3.ts";
import { folderForTests } from "../../support/temporary-folder.ts";

const directory = folderForTests();

describe("the filesystem store", () => {
  objectStoreSuite(() => createFilesystemStore(join(directory, "files")));

  it("leaves no temporary file behind, neither after success nor after failure", async () => {
    const root = join(directory, "clean");
    const store = createFilesystemStore(root);
    const broken = (async function* () {
      yield Buffer.from("half");
      throw new Error("cut");
    })();
    await store.put("a.mp4", body("whole"));
    await expect(store.put("b.mp4", broken)).rejects.toThrow("cut");
    expect(await readdir(join(root, ".incoming"))).toEqual([]);
    expect((await readdir(root)).toSorted()).toEqual([".incoming", "a.mp4"]);
  });

  it("removes the data of puts that never ended, except for young ones", async () => {
    const store = createFilesystemStore(join(directory, "unfinished"));
    const puts = [await beginPut(store, "1.mp4"), await beginPut(store, "2.mp4")];
    expect(await store.removeUnfinished?.(new Date(Date.now() - 60_000))).toBe(0);
    expect(await store.removeUnfinished?.(new Date(Date.now() + 60_000))).toBe(2);
    expect(await store.removeUnfinished?.(new Date(Date.now() + 60_000))).toBe(0);
    for (const put of puts) await expect(put.end()).rejects.toBeInstanceOf(Error);
    expect(await store.head("1.mp4")).toBeUndefined();
  });
});

describe("the S3 store", () => {
  let s3: Awaited<ReturnType<typeof startS3>>;
  let store: ObjectStore & Disposable;

  beforeAll(async () => {
    s3 = await startS3();
    store = createS3Store(s3.config, { pageSize: 2 });
  });
  afterAll(async () => {
    store[Symbol.dispose]();
    await s3[Symbol.asyncDispose]();
  });

  objectStoreSuite(() => store);

  it("aborts the multipart upload of a body that failed", async () => {
    const before = s3.requests().length;
    const broken = (async function* () {
      yield Buffer.alloc(17 * 1024 * 1024);
      throw new Error("cut");
    })();
    const put = store.put("aborted.mp4", broken);
    await expect(put).rejects.toThrow("cut");
    const methods = s3.requests().slice(before);
    expect(methods.map((request) => request.method)).toEqual(["POST", "PUT", "PUT", "DELETE"]);
    expect(methods.at(-1)?.url).toContain("uploadId=");
  });

  it("stores the caching headers that direct readers of the bucket receive", async () => {
    await store.put("small.mp4", body("x"));
    const large = (async function* () {
      yield Buffer.alloc(9 * 1024 * 1024);
    })();
    await store.put("large.mp4", large);
    for (const key of ["small.mp4", "large.mp4"]) {
      const response = await fetch(`${s3.config.endpoint}/${s3.config.bucket}/${key}`);
      expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(response.headers.get("content-type")).toBe("video/mp4");
      await response.body?.cancel();
    }
  });

  it("fails if the bucket is missing, instead of finding nothing", async () => {
    using other = createS3Store({ ...s3.config, bucket: "no-such-bucket" });
    await expect(other.get("a.mp4")).rejects.toThrow("bucket");
    await expect(other.put("a.mp4", body("x"))).rejects.toThrow("bucket");
  });
});

async function* body(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
