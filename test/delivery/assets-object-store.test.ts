/** The object-store suite on the file system and on an S3 server. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFilesystemStore } from "../../services/delivery/assets/filesystem.ts";
import type { ObjectStore } from "../../services/delivery/assets/object-store.ts";
import { createS3Store } from "../../services/delivery/assets/s3.ts";
import { objectStoreSuite } from "../suites/object-store.ts";
import { startS3 } from "../support/s3.ts";

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "assets-"));
});
afterAll(() => rm(directory, { recursive: true }));

describe("the filesystem store", () => {
  objectStoreSuite(() => createFilesystemStore(join(directory, "files")));

  it("leaves no temporary file behind, neither after success nor after failure", async () => {
    const root = join(directory, "clean");
    const store = createFilesystemStore(root);
    const broken = (async function* () {
      yield Buffer.from("half");
      throw new Error("cut");
    })();
    await store.put("a.mp4", body("whole"), { contentType: "video/mp4" });
    await expect(store.put("b.mp4", broken, { contentType: "video/mp4" })).rejects.toThrow("cut");
    expect(await readdir(join(root, ".incoming"))).toEqual([]);
    expect((await readdir(root)).toSorted()).toEqual([".incoming", "a.mp4"]);
  });

  it("takes a folder for no object", async () => {
    const store = createFilesystemStore(join(directory, "folders"));
    await store.put("a/b.mp4", body("x"), { contentType: "video/mp4" });
    expect(await store.head("a")).toBeUndefined();
    expect(await store.get("a")).toBeUndefined();
    expect(await store.head("a/b.mp4/c")).toBeUndefined();
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
      yield Buffer.alloc(20 * 1024 * 1024);
      throw new Error("cut");
    })();
    const put = store.put("aborted.mp4", broken, { contentType: "video/mp4" });
    await expect(put).rejects.toThrow("cut");
    const methods = s3.requests().slice(before);
    expect(methods.map((request) => request.method)).toEqual(["POST", "PUT", "PUT", "DELETE"]);
    expect(methods.at(-1)?.url).toContain("uploadId=");
  });

  it("fails, rather than finding nothing, when the bucket is missing", async () => {
    using other = createS3Store({ ...s3.config, bucket: "no-such-bucket" });
    await expect(other.get("a.mp4")).rejects.toThrow("bucket");
    await expect(other.put("a.mp4", body("x"), { contentType: "video/mp4" })).rejects.toThrow(
      "bucket",
    );
  });
});

async function* body(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
