/** The simulator over HTTP, with canned pictures. */
import { mkdir, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { manualClock } from "../support/manual-clock.ts";
import { decodeVideo } from "../support/decode-video.ts";
import { aVideo, anImage, outputUrl, startHarness } from "./harness.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PACE_MS = 4_000;
/** Another size for each test that counts or misses pictures: they are kept for all. */
const sizes = [1, 2].map((n) => ({ width: 160 + 2 * n })).values();
const newSize = () => sizes.next().value ?? {};

const clock = manualClock();

/** Two replicas, of which the second has another pace, and a stranger with a secret of its own. */
const stack = new AsyncDisposableStack();
const start = async (config: object) => {
  const { path } = stack.use(await temporaryFolder());
  const cache = join(path, "cache");
  return Object.assign(stack.use(await startHarness(cache, config, clock)), { cache });
};
const [one, other] = [await start({ paceMs: PACE_MS }), await start({ paceMs: 0 })];
const stranger = await start({ secret: "the secret of a stranger, as long as ours" });
afterAll(() => stack.disposeAsync());

/** A job that begins now; all others were submitted so long ago that they have ended. */
const now = () => ({ submitted_at_ms: clock.now().getTime() });
beforeAll(() => clock.advance(600_000));

async function writeOld(path: string, at: Date): Promise<void> {
  await writeFile(path, Buffer.alloc(200_000));
  await utimes(path, at, at);
}

describe("the simulator", () => {
  it("takes a video from queued to succeeded as time passes", async () => {
    const { id } = await one.create(now());
    expect(await one.get(id)).toMatchObject({ status: "queued", progress: 0 });
    clock.advance(PACE_MS / 2);
    expect(await one.get(id)).toMatchObject({ status: "running", progress: 50 });
    clock.advance(PACE_MS / 2);
    const done = await one.finished(id);
    expect(done).toMatchObject({ status: "succeeded", progress: 100 });
    const expires_at = new Date(clock.now().getTime() + 3_600_000).toISOString();
    expect(done.output).toMatchObject({ content_type: "video/mp4", expires_at });
    const file = await fetch(outputUrl(done));
    expect(file.headers.get("content-type")).toBe("video/mp4");
    const bytes = new Uint8Array(await file.arrayBuffer());
    expect(file.headers.get("content-length")).toBe(String(bytes.byteLength));
    const { width, height, duration_seconds: durationSeconds } = aVideo;
    const facts = { codec: "avc", width, height, durationSeconds };
    expect(await decodeVideo(bytes)).toMatchObject(facts);
  });

  it("serves each of several images at an address of its own", async () => {
    const { id } = await one.create({ ...anImage, count: 3 });
    const { output } = await one.finished(id);
    expect(new Set(output?.urls).size).toBe(3);
    for (const url of output?.urls ?? []) {
      const image = Buffer.from(await (await fetch(url)).arrayBuffer());
      expect(image.toString("latin1", 1, 4)).toBe("PNG");
    }
  });

  it("answers for the jobs of a replica with the same secret, files too, at the pace they were submitted at", async () => {
    const job = await one.create();
    const [here, there] = [await one.finished(job.id), await other.finished(job.id)];
    expect(there).toMatchObject({ id: job.id, status: "succeeded", progress: 100 });
    expect((await fetch(outputUrl(here).replace(one.url, other.url))).status).toBe(200);
    expect((await other.call("POST", `/jobs/${job.id}/cancel`)).status).toBe(409);
    const slow = await one.create({ ...now(), simulate: "slow:18" });
    clock.advance(5_000);
    expect(await other.get(slow.id)).toMatchObject({ status: "running" });
    expect(await other.get(slow.id)).toEqual(await one.get(slow.id));
    expect((await stranger.call("GET", `/jobs/${job.id}`)).status).toBe(404);
    const atStranger = outputUrl(here).replace(one.url, stranger.url);
    expect((await fetch(atStranger)).status).toBe(403);
  });

  it("renders a file that it is asked for and does not have, once for all who ask", async () => {
    const { id } = await one.create(newSize());
    const before = other.renders();
    const url = outputUrl(await one.finished(id)).replace(one.url, other.url);
    const answers = await Promise.all(Array.from({ length: 5 }, () => fetch(url)));
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect(other.renders() - before).toBe(1);
  });

  it("answers a cancel by the job's time alone and does not remember it", async () => {
    const { id } = await one.create(now());
    const canceled = await one.call("POST", `/jobs/${id}/cancel`);
    expect(canceled).toMatchObject({ status: 200, body: { id, status: "canceled" } });
    expect(await one.get(id)).toMatchObject({ status: "queued" });
    // A replica of 1.0.0 sends it so.
    const headers = { "content-type": "application/json" };
    const again = await fetch(`${one.url}/jobs/${id}/cancel`, { method: "POST", headers });
    expect(again.status).toBe(200);
    clock.advance(PACE_MS);
    expect((await one.call("POST", `/jobs/${id}/cancel`)).status).toBe(409);
    const failed = await one.create({ simulate: "fail:upstream_failed" });
    expect(failed).toMatchObject({ status: "failed", error: { code: "upstream_failed" } });
    expect(failed.output).toBeUndefined();
    expect((await one.call("POST", `/jobs/${failed.id}/cancel`)).status).toBe(409);
  });

  it("gives no file for an address that has expired or was tampered with", async () => {
    const job = await one.create();
    const url = outputUrl(await one.finished(job.id));
    clock.advance(3_599_999);
    expect((await fetch(url)).status).toBe(200);
    expect((await fetch(`${url}x`)).status).toBe(403);
    expect((await fetch(url.replace(/[^/]*$/, job.id))).status).toBe(403);
    expect((await one.call("GET", `/jobs/${url.replace(/.*\//, "")}`)).status).toBe(404);
    clock.advance(1);
    expect((await fetch(url)).status).toBe(403);
    expect((await fetch(outputUrl(await one.finished(job.id)))).status).toBe(200);
  });

  it("says that a job failed whose picture cannot be rendered, and tries anew when asked again", async () => {
    await rm(one.cache, { recursive: true });
    const { id } = await one.create(newSize());
    expect(await one.finished(id)).toMatchObject({
      status: "failed",
      error: { code: "upstream_failed" },
    });
    await mkdir(one.cache);
    expect(await one.finished(id)).toMatchObject({ status: "succeeded" });
  });

  it("keeps its cache within the limit: the oldest files go, and what killed renders left", async () => {
    await using directory = await temporaryFolder();
    for (const name of ["draw-1.mp4", "fixture-2.mp4.x.unfinished"])
      await writeOld(join(directory.path, name), new Date("2020-01-01"));
    await writeFile(join(directory.path, "fixture-.mp4.x.unfinished"), "being written");
    await using simulator = await startHarness(directory.path, { maxCacheBytes: 100_000 });
    const { id } = await simulator.create();
    await simulator.finished(id);
    expect((await readdir(directory.path)).toSorted()).toEqual([
      "fixture-.mp4.x.unfinished",
      expect.stringMatching(/^fixture-[0-9a-f]{64}\.mp4$/),
    ]);
  });

  it("keeps no picture for longer than ten minutes, though nothing is asked of it", async () => {
    await using directory = await temporaryFolder();
    await using simulator = await startHarness(directory.path);
    for (const minutes of [9, 11]) {
      const at = new Date(Date.now() - minutes * 60_000);
      await writeOld(join(directory.path, `draw-${minutes}.mp4`), at);
    }
    const kept = () => {
      simulator.clock.advance(60_000);
      return readdir(directory.path);
    };
    await expect.poll(kept).toEqual(["draw-9.mp4"]);
  });

  it("shuts down at once while a picture is being drawn", async () => {
    await using directory = await temporaryFolder();
    {
      await using simulator = await startHarness(directory.path, { render: "draw" });
      await simulator.create({ duration_seconds: 60, width: 1280, height: 720 });
      await simulator.create({ duration_seconds: 60 });
    }
    expect(await readdir(directory.path)).toEqual([]);
  });
});
