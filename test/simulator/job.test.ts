/** How a job goes with time, and its id, which carries it. */
import {
  jobOf,
  stateAt,
  type Job,
  type JobRequest,
  MAX_JOB_ID_LENGTH,
} from "../../services/simulator/job.ts";
import { aVideo } from "./harness.ts";
import { createSealer } from "../../services/simulator/sealing.ts";
import { SIMULATOR_SECRET } from "../support/simulator-config.ts";

const aJob = (simulate: unknown, paceMs: number): Job =>
  jobOf({ ...aVideo, simulate } as JobRequest, paceMs);

const at = (job: Job, ms: number) => stateAt(job, new Date(aVideo.submitted_at_ms + ms));

describe("a job", () => {
  it.each([
    [undefined, -5000, "queued"],
    [undefined, 0, "queued"],
    [undefined, 399, "queued"],
    [undefined, 400, "running"],
    [undefined, 3999, "running"],
    [undefined, 4000, "succeeded"],
    ["fail:content_rejected", 1999, "running"],
    ["fail:content_rejected", 2000, "failed"],
    ["slow:30", 29_999, "running"],
    ["slow:30", 30_000, "succeeded"],
    ["hang", 365 * 86_400_000, "running"],
  ])("that is asked for %j is after %i of 4000 ms %s", (simulate, ms, status) => {
    expect(at(aJob(simulate, 4000), ms).status).toBe(status);
  });

  it("never reports less progress than before, and 100 only on success", () => {
    for (const simulate of [undefined, "hang", "slow:3", "fail:upstream_failed"]) {
      const states = Array.from({ length: 600 }, (_, step) => at(aJob(simulate, 4000), step * 20));
      const progress = states.map((state) => state.progress);
      expect(progress).toEqual(progress.toSorted((one, other) => one - other));
      const unfinished = states.filter((state) => state.status !== "succeeded");
      expect(Math.max(...unfinished.map((state) => state.progress))).toBeLessThan(100);
    }
  });
});

const PACE_MS = 4000;
const sealer = createSealer<Job>(SIMULATOR_SECRET, "job ids");
const video = aVideo as JobRequest;
const idOf = (changes: Partial<JobRequest> = {}) =>
  sealer.seal(jobOf({ ...video, ...changes }, PACE_MS));

describe("a job's id", () => {
  it("shows nothing of the job to those who do not have the secret", () => {
    const ids = [idOf(), idOf({ seed: 7 })];
    const bytes = ids.map((id) => Buffer.from(id, "base64url"));
    for (const one of bytes) {
      const text = one.toString("latin1");
      for (const word of ["lake", "caption", "picture"]) expect(text).not.toContain(word);
    }
    // Nor what two have in common.
    expect(bytes[0]?.subarray(0, 4)).not.toEqual(bytes[1]?.subarray(0, 4));
    expect(bytes[0]?.subarray(-8)).not.toEqual(bytes[1]?.subarray(-8));
  });

  it("is refused when any of its characters is changed, dropped or added", () => {
    const id = idOf();
    for (let at = 0; at < id.length; at++) {
      const other = id[at] === "A" ? "B" : "A";
      expect(sealer.unseal(id.slice(0, at) + other + id.slice(at + 1))).toBeUndefined();
      expect(sealer.unseal(id.slice(0, at) + id.slice(at + 1))).toBeUndefined();
    }
    for (const wrong of [`${id}A`, `${id}=`, `A${id}`, "", ".", "AAAA", "e30.AA", "job_x"]) {
      expect(sealer.unseal(wrong)).toBeUndefined();
    }
  });

  it("is the same for the same token, time and request, and another where one differs", () => {
    expect(idOf()).toBe(idOf());
    const others = [
      { client_token: "vgen_2" },
      { submitted_at_ms: video.submitted_at_ms + 1 },
      { prompt: "a quiet lake at dusk" },
      { seed: 7 },
      { width: 162 },
      { duration_seconds: 3 },
      { simulate: "hang" },
    ];
    expect(new Set([idOf(), ...others.map(idOf)]).size).toBe(others.length + 1);
  });

  it("stays short enough for URLs and index entries, whatever is asked for", () => {
    const long = { duration_seconds: 60, seed: 2_147_483_647, client_token: "x".repeat(256) };
    const most = { ...long, simulate: `fail:${"x".repeat(64)}`, submitted_at_ms: 8.64e15 };
    const sizes = [4096, 1280].map((width) => ({ width, height: 720 }));
    const shapes = [...sizes, { width: 4096, height: 16 }, { width: 4096, height: 4096 }];
    const lengths = ['"', "\\", '" ', "\u{1f98a}"].flatMap((repeated) =>
      shapes.map((size) => idOf({ ...most, ...size, prompt: repeated.repeat(5_000) }).length),
    );
    expect(Math.max(...lengths)).toBeLessThanOrEqual(MAX_JOB_ID_LENGTH);
  });
});
