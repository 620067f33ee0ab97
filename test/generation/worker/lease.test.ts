/** The lease of a worker: it is renewed while a step runs, and losing it ends the step. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Submitted } from "../../../services/generation/providers/provider.ts";
import { claimDueGenerations } from "../../../services/generation/store/steps.ts";
import { LEASE_MS } from "../../../services/generation/worker/claim-work.ts";
import { runJob } from "../../../services/generation/worker/run-job.ts";
import { createVideo, useHarness } from "../harness.ts";

const RENEW_MS = 3_000;
/** Long enough for a busy machine. */
const PATIENCE = { timeout: 10_000 };

const h = useHarness();
let generationId: string;
beforeEach(async () => {
  ({ generationId } = await createVideo(h, { model: "beta-3.0-video" }));
});

/** Starts a worker whose submit is not answered until `answer` is called or `signal` aborts. */
async function submitting() {
  const { submit } = h.provider;
  const answered = Promise.withResolvers<Submitted>();
  const sent = Promise.withResolvers<AbortSignal>();
  h.provider.submit = (_job, signal) => {
    sent.resolve(signal);
    signal.addEventListener("abort", () => answered.reject(new Error("aborted")), { once: true });
    return answered.promise;
  };
  const [row] = await h.claim(1);
  if (!row) throw new Error("nothing was claimed");
  const ended = runJob(h.deps, row, new AbortController().signal);
  const signal = await sent.promise;
  h.provider.submit = submit;
  const answer = () => answered.resolve({ kind: "accepted", upstreamId: generationId });
  return { row, signal, answer, ended };
}

async function leaseUntil() {
  const [row] = await h.sql<{ leaseUntil: Date | null }[]>`
    select lease_until from generation.generations where id = ${generationId}`;
  return row?.leaseUntil;
}

describe("the lease of a worker", () => {
  it("is renewed while a step takes long, so that no other worker claims the generation", async () => {
    const worker = await submitting();
    h.clock.advance(RENEW_MS);
    const renewed = new Date(h.clock.now().getTime() + LEASE_MS);
    await expect.poll(leaseUntil, PATIENCE).toEqual(renewed);
    h.clock.advance(LEASE_MS - 1);
    expect(await h.claim(1)).toEqual([]);
    worker.answer();
    await worker.ended;
  });

  it("aborts the worker's step at its next renewal if another worker has claimed the generation", async () => {
    const worker = await submitting();
    await h.sql`
      update generation.generations set lease_until = ${h.clock.now()} where id = ${generationId}`;
    expect(await h.claim(1)).toMatchObject([{ id: generationId }]);
    expect(worker.signal.aborted).toBe(false);
    h.clock.advance(RENEW_MS);
    await expect.poll(() => worker.signal.aborted, PATIENCE).toBe(true);
    await worker.ended;
  });
});

describe("a claim", () => {
  it(
    "skips a generation that another worker is claiming at that moment",
    { timeout: 10_000 },
    async () => {
      h.clock.advance(24 * 60 * 60_000);
      const claimed = async () => {
        const rows = await claimDueGenerations(h.sql, h.clock.now(), LEASE_MS, 100);
        return rows.map(({ id }) => id);
      };
      await h.sql.begin(async (other) => {
        await other`select from generation.generations where id = ${generationId} for update`;
        expect(await claimed()).not.toContain(generationId);
      });
      expect(await claimed()).toContain(generationId);
    },
  );
});
