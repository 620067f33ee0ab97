/** Limits of Tokens that hold for each end user of an account, through billing's RPCs. */
import { beforeAll, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { LimitPeriod } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { randomId } from "#runtime/id.ts";
import { manualClock } from "../support/manual-clock.ts";
import { billingFixture, refusalOf, type BillingFixture } from "./billing-fixture.ts";
import { forTests } from "../support/for-tests.ts";

const DAY_MS = 24 * 3_600_000;

const clock = manualClock("2026-01-30T10:00:00.000Z");
const fixture = forTests(() => billingFixture(clock));
let billing: BillingFixture["client"];
beforeAll(() => void (billing = fixture.client));

describe("a limit of end users", () => {
  /** An account whose end users have these limits; `reserve` reserves for one of them. */
  async function perEndUser(limits: { dayTokens?: bigint; monthTokens?: bigint }) {
    const account = await fixture.account(1_000_000n);
    const { accountId, hold } = account;
    const setLimits = (to: typeof limits) =>
      billing.setTokenLimits({ accountId, perEndUser: true, ...to });
    await setLimits(limits);
    return {
      ...account,
      setLimits,
      reserve: (tokens: bigint, endUser: string, name = hold()) =>
        billing.reserve({ hold: name, tokens, endUser }),
      differences: async () =>
        (await billing.auditAccount({ accountId, mode: Mode.LIVE })).differences,
      rows: () => fixture.owner<{ countedFor: string; startsOn: string; tokens: bigint }[]>`
        select counted_for, starts_on::text as starts_on, tokens from billing.limit_usage
        where account_id = ${accountId} order by starts_on, period, counted_for`,
    };
  }

  it("holds for each on their own, and for no create without one; it tells of nothing, and who they are is not kept", async () => {
    const { accountId, reserve, hold, balance, rows, differences } = await perEndUser({
      dayTokens: 100n,
      monthTokens: 1_000n,
    });
    await billing.setAlerts({ accountId, alerts: { limitPercents: [1, 100], mail: true } });
    await reserve(70n, "anna");
    await reserve(100n, "ben");
    await reserve(500n, "");
    const name = hold();
    const { reason, fault } = await refusalOf(reserve(31n, "anna", name));
    expect(reason).toBe(ErrorReason.TOKEN_LIMIT_REACHED);
    expect(fault?.message).toContain("70 of the end user's limit of 100 a day are used");
    expect(fault?.metadata).toEqual({
      required: "31",
      scope: "end_user",
      key_id: "",
      period: "day",
      tokens: "100",
      used: "70",
      resets_at: "2026-01-31T00:00:00.000Z",
    });
    expect(await balance()).toEqual([999_330n, 670n]);
    await reserve(30n, "anna");
    const names = [...new Set((await rows()).map(({ countedFor }) => countedFor))];
    expect(names).toEqual([
      expect.stringMatching(/^user_[0-9a-f]{32}$/),
      expect.stringMatching(/^user_[0-9a-f]{32}$/),
    ]);
    const holds = await fixture.owner<{ row: string }[]>`
      select h::text as row from billing.holds h where account_id = ${accountId}`;
    expect(holds.filter(({ row }) => /anna|ben/.test(row))).toEqual([]);
    expect((await billing.claimAlerts({ limit: 100 })).alerts).toEqual([]);
    expect(await differences()).toEqual([]);
  });

  it("is listed with the account's, and is neither in the balance nor together with a key", async () => {
    const { accountId, reserve } = await perEndUser({ monthTokens: 9n });
    await billing.setTokenLimits({ accountId, dayTokens: 8n });
    await reserve(2n, "anna");
    expect((await billing.getTokenLimits({ accountId })).limits).toMatchObject([
      { keyId: "", perEndUser: false, period: LimitPeriod.DAY, tokens: 8n, used: 2n },
      { keyId: "", perEndUser: true, period: LimitPeriod.MONTH, tokens: 9n, used: 0n },
    ]);
    const { limits } = await billing.getBalance({ accountId, mode: Mode.LIVE });
    expect(limits).toMatchObject([{ perEndUser: false, tokens: 8n }]);
    const both = { accountId, perEndUser: true, keyId: randomId("key"), dayTokens: 1n };
    const { reason, fault } = await refusalOf(billing.setTokenLimits(both));
    expect([reason, fault?.field]).toEqual([ErrorReason.INVALID_FIELD, "per_end_user"]);
  });

  it("gets back what is restored; a new or changed one counts what each reserved in its period before", async () => {
    const { reserve, hold, setLimits, rows, differences } = await perEndUser({});
    const restored = hold();
    await reserve(6n, "anna", restored);
    await reserve(4n, "anna");
    await reserve(3n, "ben");
    await reserve(2n, "");
    await setLimits({ monthTokens: 10n });
    const tokens = async () =>
      (await rows()).map((row) => Number(row.tokens)).toSorted((a, b) => a - b);
    expect(await tokens()).toEqual([3, 10]);
    expect((await refusalOf(reserve(1n, "anna"))).fault?.metadata["used"]).toBe("10");
    await billing.release({ hold: restored });
    expect(await tokens()).toEqual([3, 4]);
    await reserve(6n, "anna");
    await setLimits({ monthTokens: 11n });
    expect(await tokens()).toEqual([3, 10]);
    expect(await differences()).toEqual([]);
    await setLimits({});
    expect(await rows()).toEqual([]);
    await reserve(1_000n, "anna");
  });

  it("leaves no counts of past periods: later creates of the account delete them", async () => {
    const { reserve, rows, differences } = await perEndUser({ dayTokens: 10n, monthTokens: 20n });
    for (let i = 0; i < 12; i++) await reserve(1n, `user ${i}`);
    expect(await rows()).toHaveLength(24);
    clock.advance(31 * DAY_MS);
    // A count deletes eight at most; the days, a month ago, are not old enough yet.
    await reserve(1n, "anna");
    expect(await rows()).toHaveLength(18);
    await reserve(1n, "anna");
    expect(await rows()).toHaveLength(14);
    clock.advance(2 * DAY_MS);
    await reserve(1n, "anna");
    await reserve(1n, "anna");
    const left = (await rows()).map(({ startsOn }) => startsOn);
    expect(left).toEqual(["2026-03-01", "2026-03-02", "2026-03-04"]);
    expect(await differences()).toEqual([]);
  });
});
