/** How a job goes with time. */
import { describe, expect, it } from "vitest";
import { stateAt } from "../../services/generation/simulator/job.ts";
import type { Job, JobRequest } from "../../services/generation/simulator/job.ts";
import { planOf } from "../../services/generation/simulator/plan.ts";
import { aVideo } from "./harness.ts";

const START = Date.parse("2026-01-01T00:00:00.000Z");

function aJob(simulate: unknown, paceMs: number, change: Partial<Job> = {}): Job {
  return {
    id: "job_1",
    request: { ...aVideo, simulate } as JobRequest,
    seed: 1,
    plan: planOf("video", simulate, paceMs),
    created_at: new Date(START).toISOString(),
    file: "files/job_1.mp4",
    ...change,
  };
}

const at = (job: Job, ms: number) => stateAt(job, new Date(START + ms));

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

  it("does not succeed before its picture is made, however late that is", () => {
    const { file: _, ...unmade } = aJob(undefined, 4000);
    expect(at(unmade, 60_000)).toEqual({ status: "running", progress: 99 });
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

  it("keeps the progress it had when it was canceled", () => {
    const canceled = new Date(START + 2000).toISOString();
    const job = aJob(undefined, 4000, { canceled_at: canceled });
    expect(at(job, 9000)).toEqual({ status: "canceled", progress: 50 });
  });

  it("fails when its picture could not be made", () => {
    const { file: _, ...unmade } = aJob(undefined, 0, { render_error: "no encoder" });
    expect(at(unmade, 0)).toMatchObject({ status: "failed", error: { code: "upstream_failed" } });
  });
});
