/** The asset server: methods, ranges, conditional requests, headers, and failures in mid-response. */
import { request } from "node:http";
import { PassThrough, Readable } from "node:stream";
import { startAssetServer } from "../../../services/delivery/asset-server/asset-server.ts";
import { createFilesystemStore } from "../../../services/delivery/storage/filesystem.ts";
import type { ObjectStore } from "../../../services/delivery/storage/object-store.ts";
import { createShutdown } from "#runtime/shutdown.ts";
import { systemClock } from "#runtime/clock.ts";
import { memoryStore } from "../memory-store.ts";
import { sendByNode } from "../../support/send-by-node.ts";
import { folderForTests } from "../../support/temporary-folder.ts";

const shutdown = createShutdown({ lameDuckMs: 0, drainMs: 1_000 }, systemClock);

const CONTENT = Buffer.from("0123456789".repeat(10));
const KEY = "output-0.mp4";
const directory = folderForTests();
const start = (store: ObjectStore, more: object = {}) =>
  startAssetServer({ port: 0, host: "127.0.0.1", store, shutdown, ...more });
const get = (headers: Record<string, string>, method = "GET", key = KEY) =>
  fetch(`${server.url}/${key}`, { method, headers });
const store = createFilesystemStore(directory);
await store.put(KEY, [CONTENT]);
const server = await start(store);
const etag = (await get({})).headers.get("etag") ?? "";
afterAll(() => server[Symbol.asyncDispose]());

it("names the variable of a port that is taken", async () => {
  const second = start(memoryStore(), { port: Number(new URL(server.url).port) });
  await expect(second).rejects.toThrow("ASSETS_PORT must be another");
});

describe("an asset", () => {
  it("is served whole, with the headers of an immutable public file", async () => {
    const response = await get({});
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(CONTENT);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "accept-ranges": "bytes",
      "access-control-allow-origin": "*",
      "cache-control": "public, max-age=31536000, immutable",
      "content-length": "100",
      "content-type": "video/mp4",
      "x-content-type-options": "nosniff",
    });
    expect(response.headers.get("etag")).toMatch(/^"[\w-]+"$/);
  });

  it("has the same ETag after a restart", async () => {
    await using second = await start(createFilesystemStore(directory));
    const response = await fetch(`${second.url}/${KEY}`, { method: "HEAD" });
    expect(response.headers.get("etag")).toBe(etag);
  });

  it.each([
    ["bytes=0-9", 206, "bytes 0-9/100", CONTENT.subarray(0, 10)],
    ["bytes=95-", 206, "bytes 95-99/100", CONTENT.subarray(95)],
    ["bytes=-7", 206, "bytes 93-99/100", CONTENT.subarray(93)],
    ["bytes=90-500", 206, "bytes 90-99/100", CONTENT.subarray(90)],
    ["bytes=-500", 206, "bytes 0-99/100", CONTENT],
    ["bytes=100-", 416, "bytes */100", Buffer.alloc(0)],
    ["bytes=-0", 416, "bytes */100", Buffer.alloc(0)],
    ...["bytes=a-b", "bytes=-", "lines=0-5", "bytes=5-2", "bytes=0-1,50-51"].map(
      (ignored) => [ignored, 200, null, CONTENT] as const,
    ),
  ] as const)("answers Range: %s with %i and %s", async (range, status, contentRange, expected) => {
    const response = await get({ range });
    expect(response.status).toBe(status);
    expect(Buffer.from(await response.arrayBuffer()).equals(expected)).toBe(true);
    const { headers } = response;
    expect(headers.get("content-range")).toBe(contentRange);
    expect(headers.get("content-length")).toBe(String(expected.byteLength));
    const caching = status === 416 ? "no-store" : "public, max-age=31536000, immutable";
    expect(headers.get("cache-control")).toBe(caching);
  });

  it.each([
    ["if-range", { E: 206, '"other"': 200, "W/E": 200, "Wed, 21 Oct 2026 07:28:00 GMT": 200 }],
    ["if-none-match", { E: 304, "W/E": 304, '"x", E': 304, "*": 304, '"x"': 206 }],
    ["if-match", { E: 206, '"x", E': 206, "*": 206, '"x"': 412, "W/E": 412, '"x", W/E': 412 }],
  ])("answers a Range with %s, where E is its ETag, by %j", async (header, answers) => {
    for (const [tag, status] of Object.entries(answers)) {
      const response = await get({ range: "bytes=0-9", [header]: tag.replace("E", etag) });
      expect({ tag, status: response.status }).toEqual({ tag, status });
      expect((await response.text()).length).toBe({ 200: 100, 206: 10 }[response.status] ?? 0);
      expect(response.headers.get("etag")).toBe(status === 412 ? null : etag);
    }
  });

  it("answers HEAD as GET, without the content and ignoring Range", async () => {
    const response = await get({ range: "bytes=0-9" }, "HEAD");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-length")).toBe("100");
    expect(response.headers.get("etag")).toBe(etag);
    expect(await response.text()).toBe("");
  });

  it("lets pages of any origin request ranges", async () => {
    const response = await get({ "access-control-request-headers": "range" }, "OPTIONS");
    expect(response.status).toBe(204);
    const headers = response.headers.get("access-control-allow-headers");
    expect(headers).toBe("Range, If-Range, If-Match, If-None-Match");
  });
});

describe("a request that names no asset", () => {
  it.each(["none.mp4", "", "a/b", "%2e%2e/secret", "A.mp4", ".incoming/x"])(
    "is answered 404 and not cached: %j",
    async (key) => {
      const response = await get({}, "GET", key);
      expect(response.status).toBe(404);
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    },
  );

  it("cannot leave the folder with dot segments", async () => {
    const path = "/assets/../../../../etc/passwd";
    expect((await sendByNode(server.url, { path })).status).toBe(404);
  });
});

describe("a failing response", () => {
  const storeOf = (get: ObjectStore["get"]): ObjectStore => ({
    ...memoryStore(),
    head: async () => ({ bytes: 1_000_000 }),
    get,
  });

  it("closes the object's stream when the client hangs up in mid-response", async () => {
    const stream = new PassThrough();
    const closed = new Promise<void>((resolve) => void stream.once("close", resolve));
    await using second = await start(storeOf(async () => stream));
    stream.write("some bytes");
    const client = request(`${second.url}/a.mp4`, (response) => {
      response.on("error", () => undefined).once("data", () => client.destroy());
    });
    client.on("error", () => undefined).end();
    await closed;
    expect(stream.destroyed).toBe(true);
  });

  it("breaks the connection, so that the client notices, when storage fails in mid-response", async () => {
    const body = (async function* () {
      yield Buffer.from("some bytes");
      throw new Error("storage is gone");
    })();
    const stream = Readable.from(body);
    await using second = await start(storeOf(async () => stream));
    const read = fetch(`${second.url}/a.mp4`).then((response) => response.arrayBuffer());
    await expect(read).rejects.toThrow("terminated");
  });

  const deletedMeanwhile = storeOf(async () => undefined);
  const unavailable = storeOf(() => Promise.reject(new Error("storage is gone")));
  it.each([
    [503, "with Retry-After when its object is made later", memoryStore(), "later"],
    [404, "when its object cannot be made", memoryStore(), "absent"],
    [410, "when its object was deleted", memoryStore(), "deleted"],
    [410, "when its object was deleted since its length was read", deletedMeanwhile, "deleted"],
    [503, "with Retry-After when storage is unavailable", unavailable, "stored"],
  ] as const)("is a %i %s", async (status, _when, store, made) => {
    await using second = await start(store, { makeMissing: async () => made });
    const response = await fetch(`${second.url}/a.thumbnail.webp`);
    expect(response.status).toBe(status);
    expect(response.headers.get("retry-after")).toBe(status === 503 ? "5" : null);
    expect(await response.text()).toBe("");
  });
});
