import { afterAll, beforeAll, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { randomId } from "#runtime/id.ts";
import { compareHolds } from "../../../services/generation/reconcile/compare.ts";
import { generationHarness } from "../../support/generation-harness.ts";
import type { Harness } from "../../support/generation-harness.ts";

let h: Harness;
let accountId: string;
beforeAll(async () => {
  h = await generationHarness();
  accountId = await h.account(100_000n);
});
afterAll(() => h[Symbol.asyncDispose]());

const hold = (generationId: string) => ({ accountId, mode: Mode.LIVE, generationId, attempt: 1 });

it("holds and generations agree at every stage of a generation's life", async () => {
  h.provider.onPoll = () => ({ kind: "running", pollAfterMs: 1_000 });
  const create = (generationId: string) =>
    h.client.createVideo({
      accountId,
      mode: Mode.LIVE,
      generationId,
      model: "alpha-2.0",
      input: { prompt: "a cat" },
    });
  await create(randomId("vgen"));
  await h.drain();
  await create(randomId("vgen"));
  h.faults.reserve = true;
  await create(randomId("vgen")).catch(() => {});
  h.faults.reserve = false;
  h.clock.advance(3 * 60_000);
  const { holds, generations, discrepancies } = await compareHolds(h.deps);
  expect(discrepancies).toEqual([]);
  expect([holds, generations]).toEqual([2, 2]);
});

it("a hold without its generation and a generation without its hold are both found", async () => {
  const stray = randomId("vgen");
  await h.billing.reserve({ hold: hold(stray), tokens: 5n });
  const bare = randomId("vgen");
  await h.client.createVideo({
    accountId,
    mode: Mode.LIVE,
    generationId: bare,
    model: "alpha-2.0",
    input: { prompt: "a cat" },
  });
  await h.billing.release({ hold: hold(bare) });
  expect((await compareHolds(h.deps)).discrepancies).toEqual([]);
  h.clock.advance(3 * 60_000);
  const { discrepancies } = await compareHolds(h.deps);
  expect(discrepancies.toSorted((a, b) => a.kind.localeCompare(b.kind))).toEqual([
    { accountId, generationId: bare, attempt: 1, kind: "generation_without_hold" },
    { accountId, generationId: stray, attempt: 1, kind: "hold_without_generation" },
  ]);
});
