import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { randomId } from "#runtime/id.ts";
import { generationHarness } from "../../support/generation-harness.ts";
import type { Harness } from "../../support/generation-harness.ts";

let h: Harness;
beforeAll(async () => {
  h = await generationHarness({ ...systemClock, advance: () => {} });
});
afterAll(() => h[Symbol.asyncDispose]());

const request = (accountId: string) => ({
  accountId,
  mode: Mode.LIVE,
  generationId: randomId("vgen"),
  model: "beta-3.0-video",
  input: { prompt: "a cat in the rain" },
});

describe("concurrent creates", () => {
  it("of the same id and request are answered with one task and charged once", async () => {
    const accountId = await h.account(1_000n);
    const call = request(accountId);
    const answers = await Promise.all(Array.from({ length: 20 }, () => h.client.createVideo(call)));
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(answers.map(({ generation }) => generation?.id)).size).toBe(1);
    expect(await h.balance(accountId)).toEqual([500n, 500n]);
  });

  it.each([0, 1, 57, 199])(
    "of 200, with Tokens for %i, let exactly those through",
    async (count) => {
      const accountId = await h.account(500n * BigInt(count));
      const calls = Array.from({ length: 200 }, () => h.client.createVideo(request(accountId)));
      const settled = await Promise.allSettled(calls);
      const refused = settled.filter((one) => one.status === "rejected");
      expect(refused.map(({ reason }) => reasonOf(reason))).toEqual(
        Array.from({ length: 200 - count }, () => ErrorReason.INSUFFICIENT_TOKENS),
      );
      expect(await h.balance(accountId)).toEqual([0n, 500n * BigInt(count)]);
    },
  );
});
