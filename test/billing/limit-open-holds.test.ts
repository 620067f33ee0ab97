/** The limit of open holds. */
import { describe, expect, it } from "vitest";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { billingFixture, refusalOf } from "./billing-fixture.ts";
import { forTests } from "../support/for-tests.ts";

const fixture = forTests(billingFixture);

describe("a reserve with a limit of open holds", () => {
  it("is refused at the limit, which the error names, and succeeds when a hold was resolved", async () => {
    const { client } = fixture;
    const { hold } = await fixture.account(100n);
    const [first, second] = [hold(), hold()];
    const reserve = (name = hold()) => client.reserve({ hold: name, tokens: 1n, maxOpenHolds: 2 });
    await reserve(first);
    await reserve(second);
    const { reason, fault } = await refusalOf(reserve());
    expect(reason).toBe(ErrorReason.TOO_MANY_PENDING);
    expect(fault?.metadata).toEqual({ limit: "2" });
    await client.capture({ hold: first });
    await reserve();
    expect((await refusalOf(reserve())).reason).toBe(ErrorReason.TOO_MANY_PENDING);
    await client.release({ hold: second });
    await reserve();
    expect((await refusalOf(reserve())).reason).toBe(ErrorReason.TOO_MANY_PENDING);
  });

  it("is refused for the limit before it is refused for the Tokens, and changes nothing", async () => {
    const { client } = fixture;
    const { of, hold } = await fixture.account(10n);
    await client.reserve({ hold: hold(), tokens: 4n });
    const refused = [hold(), hold()];
    const reserve = (maxOpenHolds: number) =>
      refusalOf(client.reserve({ hold: refused[maxOpenHolds - 1], tokens: 50n, maxOpenHolds }));
    expect((await reserve(1)).reason).toBe(ErrorReason.TOO_MANY_PENDING);
    expect((await reserve(2)).reason).toBe(ErrorReason.INSUFFICIENT_TOKENS);
    const { balance } = await client.getBalance(of);
    expect(balance).toMatchObject({ available: 6n, reserved: 4n });
    for (const one of refused) {
      expect(await client.release({ hold: one })).toMatchObject({ tokens: 0n });
    }
  });

  it("succeeds for exactly as many of 200 concurrent calls as the limit allows", async () => {
    const { hold } = await fixture.account(1_000n);
    const settled = await Promise.allSettled(
      Array.from({ length: 200 }, () =>
        fixture.client.reserve({ hold: hold(), tokens: 1n, maxOpenHolds: 57 }),
      ),
    );
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(57);
  });
});
