/** How a job goes with time. */
import { describe, expect, it } from "vitest";
import { jobOf, stateAt, type Job, type JobRequest } from "../../services/simulator/job.ts";
import { planOf } from "../../services/simulator/plan.ts";
import { aVideo } from "./harness.ts";

const aJob = (simulate: unknown, paceMs: number): Job =>
  jobOf({ ...aVideo, simulate } as JobRequest, paceMs);

const at = (job: Job, ms: number) => stateAt(job, new Date(aVideo.submitted_at_ms + ms));

describe("a job", () => {
  it("is queued for a tenth of its time, then runs, and succeeds at its end", () => {
    const job = aJob(undefined, 4000);
    const statuses = [0, 399, 400, 3999, 4000].map((ms) => at(job, ms).status);
    expect(statuses).toEqual(["queued", "queued", "running", "running", "succeeded"]);
  });

  it("never reports less progress than before, and 100 only on success", () => {
    for (const simulate of [undefined, "hang", "slow:3", "fail:upstream_failed"]) {
      const job = aJob(simulate, 4000);
      const states = Array.from({ length: 600 }, (_, step) => at(job, step * 20));
      const progress = states.map((state) => state.progress);
      expect(progress).toEqual(progress.toSorted((one, other) => one - other));
      const unfinished = states.filter((state) => state.status !== "succeeded");
      expect(Math.max(...unfinished.map((state) => state.progress))).toBeLessThan(100);
    }
  });

  it("that was submitted by a clock ahead of this one is queued", () => {
    expect(at(aJob(undefined, 4000), -5000)).toEqual({ status: "queued", progress: 0 });
  });

  it("that is asked to fail does so with that code after half the time", () => {
    const job = aJob("fail:content_rejected", 4000);
    expect(at(job, 1999).status).toBe("running");
    expect(at(job, 2000)).toMatchObject({ status: "failed", error: { code: "content_rejected" } });
  });

  it("that is asked to be slow takes so many seconds", () => {
    const job = aJob("slow:30", 4000);
    expect(at(job, 29_999).status).toBe("running");
    expect(at(job, 30_000).status).toBe("succeeded");
  });

  it("that is asked to hang runs for ever", () => {
    expect(at(aJob("hang", 4000), 365 * 86_400_000)).toEqual({ status: "running", progress: 90 });
  });

  it("goes as usual when the instruction is not understood", () => {
    const usual = planOf("video", undefined, 4000);
    for (const simulate of ["success", "explode", "slow:soon", "fail:", "", 7, null, {}]) {
      expect(planOf("video", simulate, 4000)).toEqual(usual);
    }
  });

  it("takes a quarter of the time when it is an image", () => {
    expect(planOf("image", undefined, 4000).total_ms).toBe(1000);
  });
});
