/** Ids that carry their job. */
import { describe, expect, it } from "vitest";
import {
  jobOf,
  type JobRequest,
  jobIdOf,
  jobOfId,
  MAX_JOB_ID_LENGTH,
} from "../../services/simulator/job.ts";
import { createSealer } from "../../services/simulator/sealing.ts";
import { SIMULATOR_SECRET } from "../support/simulator-config.ts";
import { aVideo } from "./harness.ts";

const PACE_MS = 4000;
const sealer = createSealer(SIMULATOR_SECRET);
const video = aVideo as JobRequest;
const idOf = (changes: Partial<JobRequest> = {}) =>
  jobIdOf(jobOf({ ...video, ...changes }, PACE_MS), sealer);

describe("a job's id", () => {
  it("gives the job back to any simulator with the same secret, and to no other", () => {
    const id = idOf({ simulate: "slow:30" });
    const job = jobOf({ ...video, simulate: "slow:30" }, PACE_MS);
    expect(jobOfId(id, createSealer(SIMULATOR_SECRET))).toEqual(job);
    expect(jobOfId(id, createSealer(`${SIMULATOR_SECRET}!`))).toBeUndefined();
  });

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
      expect(jobOfId(id.slice(0, at) + other + id.slice(at + 1), sealer)).toBeUndefined();
      expect(jobOfId(id.slice(0, at) + id.slice(at + 1), sealer)).toBeUndefined();
    }
    for (const wrong of [`${id}A`, `${id}=`, `A${id}`, "", ".", "AAAA", "e30.AA", "job_x"]) {
      expect(jobOfId(wrong, sealer)).toBeUndefined();
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
    const prompts = [
      '"'.repeat(5000),
      "\\".repeat(5000),
      '" '.repeat(2500),
      "\u{1f98a}".repeat(2500),
    ];
    const sizes = [
      { width: 4096, height: 16 },
      { width: 4096, height: 4096 },
      { width: 1280, height: 720 },
    ];
    const lengths = prompts.flatMap((prompt) =>
      sizes.map((size) => {
        const most = { duration_seconds: 60, seed: 2_147_483_647, client_token: "x".repeat(256) };
        const simulate = `fail:${"x".repeat(64)}`;
        return idOf({ ...size, ...most, prompt, simulate, submitted_at_ms: 8.64e15 }).length;
      }),
    );
    expect(Math.max(...lengths)).toBeLessThanOrEqual(MAX_JOB_ID_LENGTH);
  });
});
