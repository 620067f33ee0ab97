/** The simulator over HTTP, with canned pictures. */
import { mkdir, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { manualClock } from "../support/manual-clock.ts";
import { aVideo, anImage, outputUrl, startHarness } from "./harness.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("the simulator", () => {
  it("takes a video from queued to succeeded as time passes", async () => {
    await using directory = await temporaryFolder();
    await using simulator = await startHarness(directory.path, { paceMs: 4000 });
    const { id } = await simulator.create();
    expect(await simulator.get(id)).toMatchObject({ status: "queued", progress: 0 });
    simulator.clock.advance(2000);
    expect(await simulator.get(id)).toMatchObject({ status: "running", progress: 50 });
    simulator.clock.advance(2000);
    const done = await simulator.finished(id);
    expect(done).toMatchObject({ status: "succeeded", progress: 100 });
    expect(done.output).toMatchObject({
      content_type: "video/mp4",
      expires_at: "2026-01-01T01:00:04.000Z",
    });
    const file = await fetch(outputUrl(done));
    expect(file.headers.get("content-type")).toBe("video/mp4");
    const bytes = await file.arrayBuffer();
    expect(file.headers.get("content-length")).toBe(String(bytes.byteLength));
  });

  it("serves each of several images at an address of its own", async () => {
    await using directory = await temporaryFolder();
    const style = { render: "draw" as const };
    await using simulator = await startHarness(directory.path, style);
    const size = { width: 64, height: 64 };
    const { id } = await simulator.create({
      kind: "image",
      count: 3,
      ...size,
      duration_seconds: 0,
    });
    const { output } = await simulator.finished(id);
    const files = await Promise.all(
      (output?.urls ?? []).map(async (url) => (await fetch(url)).bytes()),
    );
    expect(files.map((bytes) => Buffer.from(bytes).toString("latin1", 1, 4))).toEqual(
      Array.from({ length: 3 }, () => "PNG"),
    );
    expect(new Set(files.map((bytes) => Buffer.from(bytes).toString("base64"))).size).toBe(3);
  });

  it("gives the same job for the same token, time and request, at any replica and any time", async () => {
    await using stack = new AsyncDisposableStack();
    const clock = manualClock();
    const start = async () =>
      stack.use(await startHarness(stack.use(await temporaryFolder()).path, {}, clock));
    const [one, other] = [await start(), await start()];
    const first = await one.create({ simulate: "hang" });
    clock.advance(60_000);
    expect((await one.create({ simulate: "hang" })).id).toBe(first.id);
    expect((await other.create({ simulate: "hang" })).id).toBe(first.id);
    expect((await one.create({ simulate: "hang", client_token: "vgen_2" })).id).not.toBe(first.id);
  });

  it("answers for the jobs of a replica with the same secret, files too, and for no others", async () => {
    await using stack = new AsyncDisposableStack();
    const start = async (config = {}) =>
      stack.use(await startHarness(stack.use(await temporaryFolder()).path, config));
    const [one, other] = [await start(), await start()];
    const stranger = await start({ secret: "the secret of a stranger, as long as ours" });
    const job = await one.create();
    const [here, there] = [await one.finished(job.id), await other.finished(job.id)];
    expect(there).toMatchObject({ id: job.id, status: "succeeded", progress: 100 });
    const atOther = outputUrl(here).replace(one.url, other.url);
    expect((await fetch(atOther)).status).toBe(200);
    expect((await other.call("POST", `/jobs/${job.id}/cancel`)).status).toBe(409);
    expect((await stranger.call("GET", `/jobs/${job.id}`)).status).toBe(404);
    const atStranger = outputUrl(here).replace(one.url, stranger.url);
    expect((await fetch(atStranger)).status).toBe(403);
  });

  it("renders a file that it is asked for and does not have, once for all who ask", async () => {
    await using stack = new AsyncDisposableStack();
    const start = async () =>
      stack.use(await startHarness(stack.use(await temporaryFolder()).path));
    const [one, other] = [await start(), await start()];
    const { id } = await one.create();
    const url = outputUrl(await one.finished(id)).replace(one.url, other.url);
    const answers = await Promise.all(Array.from({ length: 5 }, () => fetch(url)));
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect(other.renders()).toBe(1);
  });

  it("answers 404 for what it does not know", async () => {
    await using directory = await temporaryFolder();
    await using simulator = await startHarness(directory.path);
    expect((await simulator.call("GET", "/jobs/job_x")).status).toBe(404);
    expect((await simulator.call("POST", "/jobs/job_x/cancel")).status).toBe(404);
    expect((await simulator.call("GET", "/nothing")).status).toBe(404);
  });

  it("refuses a job that it could not make", async () => {
    await using directory = await temporaryFolder();
    await using simulator = await startHarness(directory.path);
    const { duration_seconds: _, ...withoutDuration } = aVideo;
    const { submitted_at_ms: ___, ...withoutTime } = aVideo;
    const { prompt: __, ...withoutPrompt } = anImage;
    const bad = [
      { ...aVideo, width: 161 },
      withoutDuration,
      withoutPrompt,
      withoutTime,
      { ...aVideo, width: "x" },
    ];
    for (const body of bad) {
      const answer = await simulator.call("POST", "/jobs", body);
      expect(answer).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
    }
  });

  it("answers a cancel by the job's time alone and does not remember it", async () => {
    await using directory = await temporaryFolder();
    await using simulator = await startHarness(directory.path, { paceMs: 4000 });
    const { id } = await simulator.create();
    const canceled = await simulator.call("POST", `/jobs/${id}/cancel`);
    expect(canceled).toMatchObject({ status: 200, body: { id, status: "canceled" } });
    expect(await simulator.get(id)).toMatchObject({ status: "queued" });
    simulator.clock.advance(4000);
    expect((await simulator.call("POST", `/jobs/${id}/cancel`)).status).toBe(409);
    const failed = await simulator.create({ simulate: "fail:upstream_failed" });
    expect(failed.status).toBe("failed");
    expect((await simulator.call("POST", `/jobs/${failed.id}/cancel`)).status).toBe(409);
  });

  it("cancels also when the client announces a JSON body and sends none", async () => {
    await using directory = await temporaryFolder();
    await using simulator = await startHarness(directory.path);
    const { id } = await simulator.create({ simulate: "hang" });
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${simulator.url}/jobs/${id}/cancel`, { method: "POST", headers });
    expect(answer.status).toBe(200);
    const empty = await fetch(`${simulator.url}/jobs`, { method: "POST", headers });
    expect(empty.status).toBe(400);
  });

  it("fails a job with the code that was asked for", async () => {
    await using directory = await temporaryFolder();
    await using simulator = await startHarness(directory.path);
    const job = await simulator.create({ simulate: "fail:content_rejected" });
    expect(job).toMatchObject({ status: "failed", error: { code: "content_rejected" } });
    expect(job.output).toBeUndefined();
  });

  it("gives no file for an address that has expired or was tampered with", async () => {
    await using directory = await temporaryFolder();
    await using simulator = await startHarness(directory.path, { urlTtlMs: 1000 });
    const job = await simulator.create();
    const url = outputUrl(await simulator.finished(job.id));
    simulator.clock.advance(999);
    expect((await fetch(url)).status).toBe(200);
    expect((await fetch(`${url}x`)).status).toBe(403);
    expect((await fetch(url.replace("expires=1", "expires=2"))).status).toBe(403);
    expect((await fetch(url.replace(/\?.*/, ""))).status).toBe(403);
    simulator.clock.advance(1);
    expect((await fetch(url)).status).toBe(403);
    expect((await fetch(outputUrl(await simulator.get(job.id)))).status).toBe(200);
  });

  it("knows its jobs after a restart, at the pace they were submitted at and without its files", async () => {
    await using stack = new AsyncDisposableStack();
    const folder = async () => stack.use(await temporaryFolder()).path;
    const clock = manualClock();
    let [ids, path]: [string[], string] = [[], ""];
    {
      await using before = await startHarness(await folder(), { paceMs: 4000 }, clock);
      const done = await before.create();
      clock.advance(4000);
      path = outputUrl(await before.finished(done.id)).slice(before.url.length);
      ids = [done.id, (await before.create({ simulate: "slow:18" })).id];
      clock.advance(5000);
    }
    await using after = await startHarness(await folder(), { paceMs: 0 }, clock);
    const [done = "", slow = ""] = ids;
    expect(await after.get(slow)).toMatchObject({ status: "running", progress: 50 });
    expect(await after.finished(done)).toMatchObject({ status: "succeeded" });
    expect((await fetch(after.url + path)).status).toBe(200);
  });

  it("says that a job failed whose picture cannot be rendered, and tries anew when asked again", async () => {
    await using directory = await temporaryFolder();
    await using simulator = await startHarness(join(directory.path, "cache"));
    await rm(join(directory.path, "cache"), { recursive: true });
    const { id } = await simulator.create();
    expect(await simulator.finished(id)).toMatchObject({
      status: "failed",
      error: { code: "upstream_failed" },
    });
    await mkdir(join(directory.path, "cache"));
    expect(await simulator.finished(id)).toMatchObject({ status: "succeeded" });
  });

  it("keeps its cache within the limit: the oldest files go, and what killed renders left", async () => {
    await using directory = await temporaryFolder();
    const old = new Date("2020-01-01");
    for (const name of ["draw-1.mp4", "fixture-2.mp4.x.unfinished"]) {
      await writeFile(join(directory.path, name), Buffer.alloc(200_000));
      await utimes(join(directory.path, name), old, old);
    }
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
      const path = join(directory.path, `draw-${minutes}.mp4`);
      const at = new Date(Date.now() - minutes * 60_000);
      await writeFile(path, "a picture");
      await utimes(path, at, at);
    }
    const kept = () => {
      simulator.clock.advance(60_000);
      return readdir(directory.path);
    };
    await expect.poll(kept).toEqual(["draw-9.mp4"]);
  });

  it("renders a canned clip once for each size and length", async () => {
    await using directory = await temporaryFolder();
    await using simulator = await startHarness(directory.path);
    const jobs = await Promise.all([
      simulator.create({ prompt: "one" }),
      simulator.create({ prompt: "two" }),
      simulator.create({ duration_seconds: 3 }),
      simulator.create(anImage),
    ]);
    await Promise.all(jobs.map(({ id }) => simulator.finished(id)));
    expect(simulator.renders()).toBe(3);
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
