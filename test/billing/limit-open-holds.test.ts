/** The limit of open holds, and the count of open holds that it is compared with. */
import { describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { randomId } from "#runtime/id.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { billingFixture, refusalOf } from "./billing-fixture.ts";
import { forTests } from "../support/for-tests.ts";

const fixture = forTests(billingFixture);

/** Balances whose count differs from the number of their open holds. */
const miscounted = (sql: Sql) => sql`
  select b.account_id, b.mode, b.open_holds from billing.balances b
  where b.open_holds <> (select count(*) from billing.holds h
    where h.account_id = b.account_id and h.mode = b.mode and h.state = 'held')`;

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

  it("is counted for each mode separately", async () => {
    const { client } = fixture;
    const { accountId, hold } = await fixture.account(10n);
    await client.reserve({ hold: hold(), tokens: 1n, maxOpenHolds: 1 });
    const test = { accountId, mode: Mode.TEST, generationId: randomId("vgen"), attempt: 1 };
    const { balance } = await client.reserve({ hold: test, tokens: 1n, maxOpenHolds: 1 });
    expect(balance?.reserved).toBe(1n);
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

describe("the count of open holds", () => {
  it("matches the holds after captures, releases and repeated calls in any order", async () => {
    const { client } = fixture;
    const { hold } = await fixture.account(1_000n);
    const names = Array.from({ length: 60 }, () => hold());
    await Promise.allSettled(
      names.flatMap((name, index) => [
        client.reserve({ hold: name, tokens: 3n }),
        ...(index % 3 === 0 ? [client.capture({ hold: name })] : []),
        ...(index % 3 === 1
          ? [client.release({ hold: name }), client.capture({ hold: name })]
          : []),
        client.reserve({ hold: name, tokens: 3n }),
      ]),
    );
    expect(await miscounted(fixture.sql)).toEqual([]);
  });
});
