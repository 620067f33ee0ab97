/** Conformance of poll: what a look at a job may and may not conclude. */
import { expect, test } from "vitest";
import type { Polled } from "../../../services/generation/providers/provider.ts";
import type { JobState } from "../../support/fake-upstreams/fake-upstream.ts";
import {
  endOf,
  type JobSubject,
  jobWith,
  meaningOf,
  never,
  type Started,
} from "./provider-under-test.ts";

export function pollConforms(
  started: Started,
  { job: fields, states, ends, results = [], refusals }: JobSubject,
) {
  /** What polls of one job say while the upstream goes through these states. */
  const polls = async (...script: JobState[]): Promise<Polled[]> => {
    const upstreamId = await started.accept(jobWith(fields));
    started.says(...script);
    const answers: Polled[] = [];
    for (const _ of script) answers.push(await started.poll(upstreamId));
    return answers;
  };
  test("states may repeat, and an unknown one is still running", async () => {
    const { running, odd, succeeded } = states;
    const answers = await polls(running, running, odd, running, succeeded, succeeded);
    expect(answers.map(({ kind }) => kind)).toEqual([
      "running",
      "running",
      "running",
      "running",
      "succeeded",
      "succeeded",
    ]);
  });

  test("a running job says when to look again", async () => {
    const [polled] = await polls(states.running);
    if (polled?.kind !== "running") throw new Error(`it is ${polled?.kind}`);
    expect(polled.pollAfterMs).toBeGreaterThanOrEqual(1_000);
    expect(polled.pollAfterMs).toBeLessThanOrEqual(15_000);
  });

  test.each(Object.entries(ends))("states that mean %s", async (meaning, all) => {
    for (const state of all) {
      const meanings = (await polls(state)).map(meaningOf);
      expect([state, ...meanings]).toEqual([state, meaning]);
    }
  });

  test.runIf(results.length > 0)("results are found wherever they are", async () => {
    for (const [state, sources] of results) {
      expect(await polls(state)).toEqual([{ kind: "succeeded", sources }]);
    }
  });

  test("a job that the upstream does not know any more is gone", async () => {
    expect(await polls(states.running, states.gone)).toEqual([
      expect.objectContaining({ kind: "running" }),
      { kind: "gone" },
    ]);
  });

  test("a poll that fails throws, and says nothing about the job", async () => {
    const upstreamId = await started.accept(jobWith(fields));
    started.says(states.running);
    const poll = () => started.poll(upstreamId);
    const [broken, rateLimited] = [refusals.unknown[0], refusals.rate_limited[0]];
    for (const instead of [
      broken,
      rateLimited,
      { status: 200 },
      { status: 404 },
      "drop",
    ] as const) {
      if (!instead) throw new Error("no refusal");
      started.fake.once("poll", { instead });
      expect(await endOf(poll())).not.toBe("answered");
    }
    const wrong = started.providerWith({ key: "the-wrong-key" });
    const end = await endOf(wrong.poll(upstreamId, never));
    expect(end).not.toBe("answered");
    expect(end).not.toContain("the-wrong-key");
    expect((await poll()).kind).toBe("running");
  });

  test("the wait that an upstream asks for is told, of a running job and of a poll that it refuses", async () => {
    const upstreamId = await started.accept(jobWith(fields));
    started.says(states.running);
    const poll = () => started.poll(upstreamId);
    const headers = { "retry-after": "40" };
    started.fake.once("poll", { headers });
    expect(await poll()).toMatchObject({ kind: "running", retryAfterMs: 40_000 });
    started.fake.once("poll", { instead: { status: 429, ...refusals.rate_limited[0], headers } });
    await expect(poll()).rejects.toMatchObject({ retryAfterMs: 40_000 });
    expect(await poll()).not.toHaveProperty("retryAfterMs");
  });

  test("a silent upstream is not waited for without end", async () => {
    const upstreamId = await started.accept(jobWith(fields));
    const gate = started.fake.hold("poll");
    const end = endOf(started.poll(upstreamId));
    await gate.arrived;
    started.clock.advance(10 * 60_000);
    expect(await end).not.toBe("answered");
    gate.release();
  });
}
