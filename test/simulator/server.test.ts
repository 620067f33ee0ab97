/** The simulated provider seen over HTTP, with canned pictures. */
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  aVideo,
  anImage,
  manualClock,
  outputUrl,
  startHarness,
  temporaryDirectory,
} from "./harness.ts";

describe("the simulator", { timeout: 30_000 }, () => {
  it("takes a video from queued to succeeded as time passes", async () => {
    await using directory = await temporaryDirectory();
    await using simulator = await startHarness(directory.path, { paceMs: 4000 });
    const { id } = await simulator.create();
    expect(await simulator.get(id)).toMatchObject({ status: "queued", progress: 0 });
    simulator.clock.advance(2000);
    expect(await simulator.get(id)).toMatchObject({ status: "running", progress: 50 });
    await simulator.whenMade(id);
    simulator.clock.advance(2000);
    const done = await simulator.get(id);
    expect(done).toMatchObject({ status: "succeeded", progress: 100, prompt: aVideo.prompt });
    expect(done.output).toMatchObject({
      content_type: "video/mp4",
      expires_at: "2026-01-01T01:00:04.000Z",
    });
    const file = await fetch(outputUrl(done));
    expect(file.headers.get("content-type")).toBe("video/mp4");
    const bytes = await file.arrayBuffer();
    expect(file.headers.get("content-length")).toBe(String(bytes.byteLength));
  });

  it("makes a second job when the same client token is posted again, and finds both", async () => {
    await using directory = await temporaryDirectory();
    await using simulator = await startHarness(directory.path);
    const first = await simulator.create({ simulate: "hang" });
    const second = await simulator.create({ simulate: "hang" });
    await simulator.create({ simulate: "hang", client_token: "vgen_2" });
    const found = await simulator.call("GET", "/jobs?client_token=vgen_1");
    expect(found.body).toMatchObject({ jobs: [{ id: first.id }, { id: second.id }] });
    expect(first.id).not.toBe(second.id);
    const none = await simulator.call("GET", "/jobs?client_token=vgen_3");
    expect(none.body).toEqual({ jobs: [] });
  });

  it("answers 404 for what it does not know", async () => {
    await using directory = await temporaryDirectory();
    await using simulator = await startHarness(directory.path);
    expect((await simulator.call("GET", "/jobs/job_x")).status).toBe(404);
    expect((await simulator.call("POST", "/jobs/job_x/cancel")).status).toBe(404);
    expect((await simulator.call("GET", "/nothing")).status).toBe(404);
  });

  it("refuses a job that it could not make", async () => {
    await using directory = await temporaryDirectory();
    await using simulator = await startHarness(directory.path);
    const { duration_seconds: _, ...withoutDuration } = aVideo;
    const { prompt: __, ...withoutPrompt } = anImage;
    const bad = [
      { ...aVideo, width: 161 },
      withoutDuration,
      withoutPrompt,
      { ...aVideo, width: "x" },
    ];
    for (const body of bad) {
      const answer = await simulator.call("POST", "/jobs", body);
      expect(answer).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
    }
  });

  it("cancels a job that is not finished, for good, and refuses to cancel one that is", async () => {
    await using directory = await temporaryDirectory();
    await using simulator = await startHarness(directory.path, { paceMs: 4000 });
    const { id } = await simulator.create();
    const canceled = await simulator.call("POST", `/jobs/${id}/cancel`);
    expect(canceled).toMatchObject({ status: 200, body: { id, status: "canceled" } });
    simulator.clock.advance(60_000);
    expect(await simulator.get(id)).toMatchObject({ status: "canceled" });
    expect((await simulator.call("POST", `/jobs/${id}/cancel`)).status).toBe(409);
    const done = await simulator.create({ simulate: "fail:upstream_failed" });
    simulator.clock.advance(2000);
    expect((await simulator.call("POST", `/jobs/${done.id}/cancel`)).status).toBe(409);
  });

  it("cancels also when the client announces a JSON body and sends none", async () => {
    await using directory = await temporaryDirectory();
    await using simulator = await startHarness(directory.path);
    const { id } = await simulator.create({ simulate: "hang" });
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${simulator.url}/jobs/${id}/cancel`, { method: "POST", headers });
    expect(answer.status).toBe(200);
    const empty = await fetch(`${simulator.url}/jobs`, { method: "POST", headers });
    expect(empty.status).toBe(400);
  });

  it("fails a job with the code that was asked for", async () => {
    await using directory = await temporaryDirectory();
    await using simulator = await startHarness(directory.path);
    const job = await simulator.create({ simulate: "fail:content_rejected" });
    expect(job).toMatchObject({ status: "failed", error: { code: "content_rejected" } });
    expect(job.output).toBeUndefined();
  });

  it("gives no file for an address that has expired or was tampered with", async () => {
    await using directory = await temporaryDirectory();
    await using simulator = await startHarness(directory.path, { urlTtlMs: 1000 });
    const job = await simulator.create();
    await simulator.whenMade(job.id);
    const url = outputUrl(await simulator.get(job.id));
    simulator.clock.advance(999);
    expect((await fetch(url)).status).toBe(200);
    expect((await fetch(`${url}x`)).status).toBe(403);
    expect((await fetch(url.replace("expires=1", "expires=2"))).status).toBe(403);
    expect((await fetch(url.replace(/\?.*/, ""))).status).toBe(403);
    simulator.clock.advance(1);
    expect((await fetch(url)).status).toBe(403);
    expect((await fetch(outputUrl(await simulator.get(job.id)))).status).toBe(200);
  });

  it("keeps jobs, their progress and its signatures over a restart", async () => {
    await using directory = await temporaryDirectory();
    const clock = manualClock();
    let ids: string[] = [];
    let path = "";
    {
      await using before = await startHarness(directory.path, { paceMs: 4000 }, clock);
      const done = await before.create();
      await before.whenMade(done.id);
      clock.advance(4000);
      path = outputUrl(await before.get(done.id)).slice(before.url.length);
      const canceled = await before.create();
      await before.call("POST", `/jobs/${canceled.id}/cancel`);
      ids = [done.id, canceled.id, (await before.create({ simulate: "slow:10" })).id];
      clock.advance(5000);
    }
    await using after = await startHarness(directory.path, { paceMs: 0 }, clock);
    const states = await Promise.all(ids.map((id) => after.get(id)));
    expect(states).toMatchObject([
      { status: "succeeded" },
      { status: "canceled" },
      { status: "running", progress: 50 },
    ]);
    expect((await fetch(after.url + path)).status).toBe(200);
  });

  it("makes the pictures that a killed run left unmade, and ignores a torn job file", async () => {
    await using directory = await temporaryDirectory();
    const clock = manualClock();
    let id = "";
    {
      await using before = await startHarness(directory.path, {}, clock);
      id = (await before.create()).id;
      await before.whenMade(id);
    }
    // What a kill in the middle of a render leaves: a job that knows no file, and scraps.
    const jobFile = join(directory.path, "jobs", `${id}.json`);
    const { file: _, ...unmade } = JSON.parse(await readFile(jobFile, "utf8"));
    await writeFile(jobFile, JSON.stringify(unmade));
    await writeFile(join(directory.path, "jobs", "job_torn.json"), '{"id":"job_');
    await writeFile(join(directory.path, "files", "job_x.mp4.tmp"), "scrap");
    await using after = await startHarness(directory.path, {}, clock);
    await after.whenMade(id);
    expect(await after.get(id)).toMatchObject({ status: "succeeded" });
    expect(await readdir(join(directory.path, "files"))).toEqual([]);
  });

  it("renders a canned clip once for each size and length", async () => {
    await using directory = await temporaryDirectory();
    await using simulator = await startHarness(directory.path);
    const jobs = await Promise.all([
      simulator.create({ prompt: "one" }),
      simulator.create({ prompt: "two" }),
      simulator.create({ duration_seconds: 3 }),
      simulator.create(anImage),
    ]);
    await Promise.all(jobs.map(({ id }) => simulator.whenMade(id)));
    const files = await readdir(join(directory.path, "fixtures"));
    expect(files.toSorted()).toEqual(["120x80.png", "160x90-2s.mp4", "160x90-3s.mp4"]);
  });

  it("shuts down at once while a picture is being drawn", async () => {
    await using directory = await temporaryDirectory();
    {
      await using simulator = await startHarness(directory.path, { render: "draw" });
      await simulator.create({ duration_seconds: 60, width: 1280, height: 720 });
      await simulator.create({ duration_seconds: 60 });
    }
    expect(await readdir(join(directory.path, "files"))).toEqual([]);
  });
});
