/** Creates at the same time: one id is one generation, and an account never spends more than it has. */
import { describe, expect, it } from "vitest";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { realClock } from "../../support/generation-harness.ts";
import { isLong } from "../../support/test-size.ts";
import { useHarness, videoRequest } from "../fixture.ts";

const h = useHarness({ clock: realClock });

describe("concurrent creates", () => {
  it("of the same id and content are answered with one generation and charged once", async () => {
    const { accountId } = h;
    const call = videoRequest(accountId);
    const results = await Promise.all(Array.from({ length: 20 }, () => h.client.createVideo(call)));
    expect(results.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(results.map(({ generation }) => generation?.id)).size).toBe(1);
    expect(await h.balance(accountId)).toEqual([500n, 500n]);
  });

  it.each(isLong ? [0, 1, 57, 199] : [57])(
    "of 200 different ids, with Tokens for %i, accept exactly that many",
    async (count) => {
      const accountId = await h.account(500n * BigInt(count));
      const calls = Array.from({ length: 200 }, () =>
        h.client.createVideo(videoRequest(accountId)),
      );
      const settled = await Promise.allSettled(calls);
      const refused = settled.filter((one) => one.status === "rejected");
      expect(refused.map(({ reason }) => reasonOf(reason))).toEqual(
        Array.from({ length: 200 - count }, () => ErrorReason.INSUFFICIENT_TOKENS),
      );
      expect(await h.balance(accountId)).toEqual([0n, 500n * BigInt(count)]);
    },
  );
});
