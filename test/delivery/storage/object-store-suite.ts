/** The conformance suite of object stores, run for each store. */
import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { expect, it } from "vitest";
import type { ObjectStore } from "../../../services/delivery/storage/object-store.ts";

const MIB = 1024 * 1024;

/** Declares the tests; `store` is called within each test, after the caller's own set-up. */
export function objectStoreSuite(store: () => ObjectStore): void {
  const read = async (key: string, range?: { start: number; end: number }) => {
    const found = await store().get(key, range);
    return found && { ...found, stream: undefined, body: await buffer(found.stream) };
  };

  it.each([
    ["an empty body", 0],
    ["a small body", 1_000],
    ["exactly one part", 8 * MIB],
    ["a body of several parts", 9 * MIB + 7],
  ])("stores %s whole, with its length and SHA-256", async (name, bytes) => {
    const key = `suite-${name.replaceAll(" ", "-")}.mp4`;
    const content = pattern(bytes);
    const sha256 = createHash("sha256").update(content).digest("hex");
    expect(await store().put(key, chunks(content))).toEqual({ bytes, sha256 });
    expect(await store().head(key)).toEqual({ bytes });
    const found = await read(key);
    expect(found).toMatchObject({ bytes });
    expect(found?.body.equals(content)).toBe(true);
  });

  it("reads a range, both ends included, and returns the length of the whole object", async () => {
    const content = pattern(1_000);
    await store().put("suite-ranged.mp4", chunks(content));
    const found = await read("suite-ranged.mp4", { start: 10, end: 19 });
    expect(found?.body).toEqual(content.subarray(10, 20));
    expect(found?.bytes).toBe(1_000);
    expect((await read("suite-ranged.mp4", { start: 999, end: 999 }))?.body.byteLength).toBe(1);
  });

  it("finds nothing under a key that was never written", async () => {
    expect(await store().head("suite-none.mp4")).toBeUndefined();
    expect(await store().get("suite-none.mp4")).toBeUndefined();
  });

  it("deletes objects, and accepts keys without one", async () => {
    await store().put("suite-deleted.mp4", chunks(pattern(5)));
    await store().delete("suite-deleted.mp4");
    await store().delete("suite-deleted.mp4");
    expect(await store().head("suite-deleted.mp4")).toBeUndefined();
  });

  it("replaces an object as a whole when it is put again", async () => {
    await store().put("suite-again.mp4", chunks(pattern(2_000)));
    await store().put("suite-again.mp4", chunks(pattern(100)));
    expect(await store().head("suite-again.mp4")).toMatchObject({ bytes: 100 });
  });

  it.each([1_000, 9 * MIB])("stores nothing if a body fails after %i bytes", async (bytes) => {
    const key = `suite-broken-${bytes}.mp4`;
    const body = (async function* () {
      yield* chunks(pattern(bytes));
      throw new Error("upstream hung up");
    })();
    await expect(store().put(key, body)).rejects.toThrow("upstream hung up");
    expect(await store().head(key)).toBeUndefined();
  });

  it("refuses keys that are no names of files", async () => {
    const keys = ["", "/a", "a/", "a/b", "../a", "..", ".hidden", "A.mp4", "a b"];
    for (const key of [...keys, "a\0b", "a%2fb"]) {
      await expect(store().head(key)).rejects.toThrow(RangeError);
      await expect(store().get(key)).rejects.toThrow(RangeError);
      await expect(store().delete(key)).rejects.toThrow(RangeError);
      const put = store().put(key, chunks(pattern(1)));
      await expect(put).rejects.toThrow(RangeError);
    }
  });

  it("lists every stored object with its time, and no unfinished ones", async () => {
    const keys = ["listed-a.mp4", "listed-b.mp4"];
    const begin = Date.now();
    for (const key of keys) await store().put(key, chunks(pattern(10)));
    const unfinished = await beginPut(store(), "listed-unfinished.mp4");
    const found = new Map<string, Date>();
    for await (const { key, storedAt } of store().list()) found.set(key, storedAt);
    expect([...found.keys()].filter((key) => key.startsWith("listed")).toSorted()).toEqual(
      keys.toSorted(),
    );
    for (const key of keys) {
      // S3 times have a resolution of one second.
      expect(found.get(key)?.getTime()).toBeGreaterThan(begin - 2_000);
      expect(found.get(key)?.getTime()).toBeLessThan(Date.now() + 2_000);
    }
    await unfinished.end();
  });

  it("keeps working after a reader has left in mid-object", async () => {
    await store().put("suite-left.mp4", chunks(pattern(9 * MIB)));
    const found = await store().get("suite-left.mp4");
    found?.stream.once("error", () => undefined);
    found?.stream.destroy();
    expect((await read("suite-left.mp4"))?.body.byteLength).toBe(9 * MIB);
  });
}

/** Begins a put and waits until its first part is stored; `end` sends the rest. */
export async function beginPut(
  store: ObjectStore,
  key: string,
): Promise<{ end(): Promise<unknown> }> {
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
  return {
    end: () => {
      gate.resolve();
      return put;
    },
  };
}

function pattern(bytes: number): Buffer {
  return Buffer.alloc(
    bytes,
    Uint8Array.from({ length: 251 }, (_, index) => index),
  );
}

// The chunk size is odd, so that chunks and parts never line up.
async function* chunks(content: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.byteLength; at += 99_991) yield content.subarray(at, at + 99_991);
}
