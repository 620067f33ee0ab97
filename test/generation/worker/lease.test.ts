/** The lease of a worker: it is renewed while a step runs, and losing it ends the step. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Submitted } from "../../../services/generation/providers/provider.ts";
import { claimDueTasks } from "../../../services/generation/store/steps.ts";
import { LEASE_MS } from "../../../services/generation/worker/steps/slots.ts";
import { runTask } from "../../../services/generation/worker/worker.ts";
import { createVideo, useHarness } from "../fixture.ts";

const RENEW_MS = 3_000;

const h = useHarness();
let generationId: string;
beforeEach(async () => {
  await h.endTasks();
  ({ generationId } = await createVideo(h, { model: "beta-3.0-video" }));
});

/** Starts a worker whose call of the upstream is not answered until `answer` is called or `signal` aborts. */
async function calling(step: "submit" | "poll") {
  if (step === "poll") {
    await h.drain();
    h.clock.advance(500);
  }
  const before = h.provider[step];
  const answered = Promise.withResolvers<never>();
  const sent = Promise.withResolvers<AbortSignal>();
  h.provider[step] = (_, signal) => {
    sent.resolve(signal);
    signal.addEventListener("abort", () => answered.reject(new Error("aborted")), { once: true });
    return answered.promise;
  };
  const [row] = await h.claim(1);
  if (!row) throw new Error("nothing was claimed");
  const stop = new AbortController();
  const ended = runTask(h.deps, row, stop.signal);
  const signal = await sent.promise;
  Object.assign(h.provider, { [step]: before });
  const answer = (value: Submitted) => answered.resolve(value as never);
  return { signal, answer, ended, shutdown: () => stop.abort() };
}

const loseLease = async () => {
  await h.sql`
    update generation.tasks set lease_until = ${h.clock.now()} where id = ${generationId}`;
  expect(await h.claim(1)).toMatchObject([{ id: generationId }]);
};

async function leaseUntil() {
  const [row] = await h.sql<{ leaseUntil: Date | null }[]>`
    select lease_until from generation.tasks where id = ${generationId}`;
  return row?.leaseUntil;
}

describe("the lease of a worker", () => {
  it("is renewed while a step takes long, so that no other worker claims the generation", async () => {
    const worker = await calling("submit");
    h.clock.advance(RENEW_MS);
    const renewed = new Date(h.clock.now().getTime() + LEASE_MS);
    await expect.poll(leaseUntil).toEqual(renewed);
    h.clock.advance(LEASE_MS - 1);
    expect(await h.claim(1)).toEqual([]);
    worker.answer({ kind: "accepted", upstreamId: generationId });
    await worker.ended;
  });

  it("aborts the worker's step at its next renewal if another worker has claimed the generation", async () => {
    const worker = await calling("poll");
    await loseLease();
    expect(worker.signal.aborted).toBe(false);
    h.clock.advance(RENEW_MS);
    await expect.poll(() => worker.signal.aborted).toBe(true);
    await worker.ended;
  });

  it("does not abort a submit, not even when the process stops: its answer names a job", async () => {
    const worker = await calling("submit");
    await loseLease();
    worker.shutdown();
    expect(worker.signal.aborted).toBe(false);
    worker.answer({ kind: "accepted", upstreamId: `late ${generationId}` });
    await worker.ended;
    expect(await h.deps.find(h.accountId, generationId)).toMatchObject({
      upstreamId: `late ${generationId}`,
    });
  });
});

describe("a claim", () => {
  it("skips a generation that another worker is claiming at that moment", async () => {
    h.clock.advance(24 * 60 * 60_000);
    const claimed = async () => {
      const rows = await claimDueTasks(h.sql, h.clock.now(), LEASE_MS, 100);
      return rows.map(({ id }) => id);
    };
    await h.sql.begin(async (other) => {
      await other`select from generation.tasks where id = ${generationId} for update`;
      expect(await claimed()).not.toContain(generationId);
    });
    expect(await claimed()).toContain(generationId);
  });
});
