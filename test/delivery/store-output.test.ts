/** StoreOutput: what is copied, what a repeated call does, and how its faults are told apart. */
import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "undici";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { GenerationService, Kind } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { allowNone } from "#runtime/address.ts";
import { reasonOf } from "#runtime/errors.ts";
import { randomId } from "#runtime/id.ts";
import { connectPostgres } from "#runtime/postgres.ts";
import { createFilesystemStore } from "../../services/delivery/assets/filesystem.ts";
import { createThumbnailer } from "../../services/delivery/assets/thumbnail.ts";
import { concurrencyLimit } from "../../services/delivery/copy/concurrency-limit.ts";
import { outputCopier } from "../../services/delivery/copy/copy-output.ts";
import { sweepLeftovers } from "../../services/delivery/copy/sweep-leftovers.ts";
import { createGuardedAgent } from "../../services/delivery/egress/guarded-agent.ts";
import { routes } from "../../services/delivery/routes.ts";
import { newAccountId } from "../support/account.ts";
import { testDatabase } from "../support/database.ts";
import { startHttp } from "../support/http-server.ts";
import { makeImage, makeVideo } from "../support/make-media.ts";
import { memoryClient } from "../support/rpc.ts";
import { manualClock } from "../support/manual-clock.ts";
import { quiet, testBox } from "./webhook-fixtures.ts";

const parts = new AsyncDisposableStack();
let bench: Awaited<ReturnType<typeof setUp>>;
let video: Uint8Array;

beforeAll(async () => {
  bench = await setUp();
  video = await makeVideo({ durationSeconds: 2 });
});
beforeEach(() => bench.reset());
afterAll(() => parts.disposeAsync());

type Reply = (response: ServerResponse) => void;
const file =
  (bytes: Uint8Array): Reply =>
  (response) =>
    void response.end(bytes);
const status =
  (code: number): Reply =>
  (response) =>
    void response.writeHead(code).end();

async function setUp() {
  const directory = await mkdtemp(join(tmpdir(), "store-output-"));
  parts.defer(() => rm(directory, { recursive: true }));
  const { url } = parts.use(await testDatabase("delivery"));
  const sql = connectPostgres({ url, maxConnections: 4 }, "test");
  parts.defer(() => sql.end({ timeout: 1 }));
  const guarded = createGuardedAgent({ allow: allowNone, plainHttp: true });
  parts.defer(() => guarded.destroy());
  const direct = new Agent();
  parts.defer(() => direct.destroy());
  const upstream = { replies: new Map<string, Reply>(), asked: [] as string[] };
  const server = parts.use(
    await startHttp((request, response) => {
      upstream.asked.push(request.url ?? "");
      (upstream.replies.get(request.url ?? "") ?? status(500))(response);
    }),
  );
  const files = createFilesystemStore(join(directory, "assets"));
  const objects = async () => {
    const names = await readdir(join(directory, "assets")).catch(() => []);
    return names.filter((name) => name !== ".incoming");
  };
  const failing = { puts: 0 };
  const store: typeof files = {
    ...files,
    async put(...put) {
      const stored = await files.put(...put);
      if (failing.puts-- > 0) throw new Error("the connection was lost after the upload");
      return stored;
    },
  };
  const clock = manualClock("2026-11-21T12:00:00.000Z");
  const copies = join(directory, "copies");
  const copyOutput = outputCopier({
    sql,
    clock,
    store,
    thumbnailer: parts.use(createThumbnailer()),
    fetch: { guarded, direct, directory: copies },
    limit: concurrencyLimit(2),
  });
  const deps = {
    sql,
    clock,
    newId: randomId,
    log: quiet,
    generation: memoryClient(GenerationService, () => undefined),
    copyOutput,
    secretBox: testBox,
    allowAddress: allowNone,
    assetBaseUrl: "",
    ringSender: () => {},
  };
  const rpc = memoryClient(DeliveryService, routes(deps));
  return {
    sql,
    files,
    failing,
    upstream,
    copies,
    serverUrl: server.url,
    objects,
    reset: async () => {
      upstream.replies.clear();
      upstream.asked.length = 0;
      failing.puts = 0;
      for (const name of await objects()) await files.delete(name);
    },
    /** A request of a new generation for these paths of the upstream. */
    request: (...paths: string[]) => ({
      accountId: newAccountId(),
      generationId: randomId("vgen"),
      kind: Kind.VIDEO,
      sources: paths.map((path) => ({
        from: { case: "url" as const, value: `${server.url}${path}` },
        configuredOrigin: true,
      })),
    }),
    call: (request: Parameters<typeof rpc.storeOutput>[0]) => rpc.storeOutput(request),
    refusalOf: async (request: Parameters<typeof rpc.storeOutput>[0]) =>
      rpc.storeOutput(request).then(
        () => undefined,
        (error: unknown) => reasonOf(error),
      ),
  };
}

describe("a video", () => {
  it("is stored with a thumbnail under unguessable keys, described by its own bytes", async () => {
    bench.upstream.replies.set("/a", file(video));
    const request = bench.request("/a");
    const { output } = await bench.call(request);
    const key = expect.stringMatching(/^[0-9a-z]{26}\.mp4$/) as string;
    expect(output).toMatchObject([
      { key, contentType: "video/mp4", width: 320, height: 180, bytes: BigInt(video.byteLength) },
    ]);
    const [stored] = output;
    expect(stored?.duration).toBeCloseTo(2, 1);
    expect(stored?.thumbnailKey).toBe(stored?.key.replace(".mp4", ".jpg"));
    expect(await bench.files.head(stored?.key ?? "")).toMatchObject({ bytes: video.byteLength });
    expect(await bench.files.head(stored?.thumbnailKey ?? "")).toMatchObject({
      contentType: "image/jpeg",
    });
    const [row] = await bench.sql`
      select sha256, bytes from delivery.assets where generation_id = ${request.generationId}`;
    expect(row).toMatchObject({ bytes: BigInt(video.byteLength) });
    expect(row?.["sha256"]).toMatch(/^[0-9a-f]{64}$/);
    expect(await readdir(bench.copies)).toEqual([]);
  });

  it("is not fetched again by a repeated call, which answers the same even when the source is gone", async () => {
    bench.upstream.replies.set("/a", file(video));
    const request = bench.request("/a");
    const first = await bench.call(request);
    bench.upstream.replies.clear();
    expect(await bench.call(request)).toEqual(first);
    expect(bench.upstream.asked).toEqual(["/a"]);
  });

  it("leaves one object where two calls come at once, or a call is cut off after the upload", async () => {
    bench.upstream.replies.set("/a", file(video));
    const request = bench.request("/a");
    bench.failing.puts = 1;
    expect(await bench.refusalOf(request)).toBe(ErrorReason.UNAVAILABLE);
    const [one, two] = await Promise.all([bench.call(request), bench.call(request)]);
    expect(one).toEqual(two);
    expect(bench.upstream.asked).toEqual(["/a", "/a"]);
    const [output] = one.output;
    const keys = new Set([output?.key, output?.thumbnailKey]);
    expect(new Set(await bench.objects())).toEqual(keys);
  });
});

describe("several sources", () => {
  it("are answered in their order, and only what is missing is fetched again", async () => {
    const other = await makeVideo({ width: 160, height: 90 });
    bench.upstream.replies.set("/a", file(video)).set("/c", file(other));
    const request = bench.request("/a", "/b", "/c");
    expect(await bench.refusalOf(request)).toBe(ErrorReason.UNAVAILABLE);
    bench.upstream.replies.set("/b", file(other));
    const { output } = await bench.call(request);
    expect(output.map(({ width }) => width)).toEqual([320, 160, 160]);
    expect(bench.upstream.asked.toSorted()).toEqual(["/a", "/b", "/b", "/c"]);
  });

  it("are SOURCE_GONE as soon as one of them is gone", async () => {
    bench.upstream.replies.set("/b", status(404));
    expect(await bench.refusalOf(bench.request("/a", "/b"))).toBe(ErrorReason.SOURCE_GONE);
  });
});

describe("an image that came inline", () => {
  it("is stored without thumbnail and duration", async () => {
    const content = makeImage("png", 64, 48);
    const { output } = await bench.call({
      accountId: newAccountId(),
      generationId: randomId("igen"),
      kind: Kind.IMAGE,
      sources: [{ from: { case: "content", value: content } }],
    });
    expect(output).toMatchObject([
      { contentType: "image/png", width: 64, height: 48, bytes: BigInt(content.byteLength) },
    ]);
    expect(output[0]?.thumbnailKey).toBeUndefined();
    expect(output[0]?.duration).toBeUndefined();
  });
});

describe("a source that cannot be stored", () => {
  const cut: Reply = (response) => {
    response.writeHead(200, { "content-length": `${video.byteLength}` });
    response.write(video.subarray(0, 1_000), () => response.destroy());
  };
  it.each<[string, () => Reply, ErrorReason]>([
    ["answers 403", () => status(403), ErrorReason.SOURCE_GONE],
    ["answers 404", () => status(404), ErrorReason.SOURCE_GONE],
    ["answers 410", () => status(410), ErrorReason.SOURCE_GONE],
    ["answers 503", () => status(503), ErrorReason.UNAVAILABLE],
    ["breaks off", () => cut, ErrorReason.UNAVAILABLE],
    ["is half a file", () => file(video.subarray(0, video.length / 2)), ErrorReason.UNAVAILABLE],
    ["is an error page", () => file(Buffer.from("<html>")), ErrorReason.UNAVAILABLE],
    ["is an image", () => file(makeImage("png")), ErrorReason.UNAVAILABLE],
  ])("because it %s leaves nothing behind and says why", async (_, reply, reason) => {
    bench.upstream.replies.set("/a", reply());
    expect(await bench.refusalOf(bench.request("/a"))).toBe(reason);
    expect(await readdir(bench.copies)).toEqual([]);
    expect(await bench.objects()).toEqual([]);
  });

  it("because its origin is private and not configured is never asked", async () => {
    const value = `${bench.serverUrl}/a`;
    const request = { ...bench.request(), sources: [{ from: { case: "url" as const, value } }] };
    expect(await bench.refusalOf(request)).toBe(ErrorReason.UNAVAILABLE);
    expect(bench.upstream.asked).toEqual([]);
  });

  it("because it has neither URL nor content is a fault of the caller", async () => {
    expect(await bench.refusalOf({ ...bench.request(), sources: [{}] })).toBe(
      ErrorReason.INVALID_FIELD,
    );
  });
});

describe("the limit of copies", () => {
  it("lets only so many run at once, the others in order, and survives failures", async () => {
    const limit = concurrencyLimit(2);
    const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
    const begun: number[] = [];
    const all = gates.map((gate, index) =>
      limit(async () => {
        begun.push(index);
        await gate.promise;
      }).catch(() => undefined),
    );
    await Promise.resolve();
    expect(begun).toEqual([0, 1]);
    gates[1]?.reject(new Error("failed"));
    await all[1];
    expect(begun).toEqual([0, 1, 2]);
    for (const gate of gates) gate.resolve();
    await Promise.all(all);
    expect(begun).toEqual([0, 1, 2, 3, 4]);
  });
});

describe("the sweep at start", () => {
  it("removes old temporary files and leaves those that may be in use", async () => {
    const old = join(bench.copies, "old.part");
    await writeFile(old, "half");
    await writeFile(join(bench.copies, "young.part"), "half");
    const now = new Date();
    const anHourAgo = new Date(now.getTime() - 3_600_000);
    await utimes(old, anHourAgo, anHourAgo);
    await sweepLeftovers(bench.copies, new Date(now.getTime() - 600_000));
    expect(await readdir(bench.copies)).toEqual(["young.part"]);
    await rm(join(bench.copies, "young.part"));
    await expect(sweepLeftovers(join(bench.copies, "none"), now)).resolves.toBeUndefined();
  });
});
