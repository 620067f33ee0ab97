/** Limits of Tokens in a period, of accounts, keys and end users, and the alerts about them and about the balance, through billing's RPCs. */
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { LimitPeriod } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { randomId } from "#runtime/id.ts";
import { forTests } from "../support/for-tests.ts";
import { manualClock } from "../support/manual-clock.ts";
import { insertTogether } from "../support/waiting-sessions.ts";
import { billingFixture, refusalOf } from "./billing-fixture.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const clock = manualClock("2026-01-30T10:00:00.000Z");
const billing = forTests(() => billingFixture(clock));

type Limits = { dayTokens?: bigint; monthTokens?: bigint; keyId?: string; perEndUser?: boolean };

/** An account with Tokens for everything but its limits. */
async function limited(limits: Limits) {
  const account = await billing.account(1_000_000n);
  const { accountId, of } = account;
  const setLimits = (to: Limits) => billing.setTokenLimits({ accountId, ...to });
  await setLimits(limits);
  return {
    ...account,
    setLimits,
    reserve: (tokens: bigint, keyId = "") => account.reserve(tokens, { keyId }),
    reserveFor: (endUser: string, tokens: bigint) => account.reserve(tokens, { endUser }),
    used: async () => (await billing.getTokenLimits({ accountId })).limits.map(({ used }) => used),
    /** Checks that a limit's use is the sum of its holds. */
    addsUp: async () => expect((await billing.auditAccount(of)).differences).toEqual([]),
    rows: () => billing.owner<{ countedFor: string; startsOn: string; tokens: bigint }[]>`
      select counted_for, starts_on::text as starts_on, tokens from billing.limit_usage
      where account_id = ${accountId} order by starts_on, period, counted_for`,
  };
}

describe("a limit of Tokens", () => {
  it("refuses what exceeds it, says what is used and when it starts anew, and holds nothing", async () => {
    const limits = { dayTokens: 100n, monthTokens: 1_000n };
    const { reserve, balance, used } = await limited(limits);
    await reserve(70n);
    const refused = await refusalOf(reserve(31n));
    expect(refused?.reason).toBe(ErrorReason.TOKEN_LIMIT_REACHED);
    expect(refused?.metadata).toEqual({
      required: "31",
      scope: "account",
      key_id: "",
      period: "day",
      tokens: "100",
      used: "70",
      resets_at: "2026-01-31T00:00:00.000Z",
    });
    expect(refused?.message).toContain("70 of the account's limit of 100 a day are used");
    expect(refused?.message).toContain("Wait until then, or raise it");
    // A limit that never covers it: waiting does not help.
    const above = (await refusalOf(reserve(101n)))?.message;
    expect(above).toMatch(/The limit is lower than this price: raise it in the dashboard\.$/);
    expect(await balance()).toEqual([999_930n, 70n]);
    expect(await used()).toEqual([70n, 70n]);
    await reserve(30n);
    expect(await used()).toEqual([100n, 100n]);
  });

  it("is exact under concurrency: of 60 parallel reserves of one key and none those succeed that both limits cover", async () => {
    const keyId = randomId("key");
    const { reserve, setLimits, used, addsUp } = await limited({ monthTokens: 41n * 7n });
    await setLimits({ keyId, dayTokens: 11n * 7n });
    const calls = Array.from({ length: 60 }, (_, i) => reserve(7n, i % 2 === 0 ? keyId : ""));
    const settled = await Promise.allSettled(calls);
    const succeeded = (of: number) =>
      settled.filter(({ status }, i) => status === "fulfilled" && i % 2 === of).length;
    expect([succeeded(0), succeeded(1)]).toEqual([11, 30]);
    expect(await used()).toEqual([41n * 7n, 11n * 7n]);
    await addsUp();
  });

  it("counts each key on its own, and other keys and the playground for the account only", async () => {
    const [one, other] = [randomId("key"), randomId("key")];
    const { reserve, setLimits, accountId } = await limited({ monthTokens: 100n });
    await setLimits({ keyId: one, dayTokens: 10n });
    await reserve(10n, one);
    const ofKey = { key_id: one, period: "day", tokens: "10" };
    expect(await refusalOf(reserve(1n, one))).toMatchObject({ metadata: ofKey });
    await reserve(80n, other);
    await reserve(10n);
    const ofAll = { key_id: "", period: "month", resets_at: "2026-02-01T00:00:00.000Z" };
    expect(await refusalOf(reserve(1n, other))).toMatchObject({ metadata: ofAll });
    expect((await billing.getTokenLimits({ accountId })).limits).toMatchObject([
      { keyId: "", period: LimitPeriod.MONTH, tokens: 100n, used: 100n },
      { keyId: one, period: LimitPeriod.DAY, tokens: 10n, used: 10n },
    ]);
    expect((await billing.getBalance({ accountId, mode: Mode.LIVE })).limits).toHaveLength(1);
  });

  it("starts anew at midnight and at the end of the month, UTC; what is restored counts for the period of its reserve", async () => {
    const { reserve, used, addsUp } = await limited({ dayTokens: 10n, monthTokens: 25n });
    const first = await reserve(10n);
    clock.advance(14 * HOUR_MS - 1);
    expect((await refusalOf(reserve(1n)))?.reason).toBe(ErrorReason.TOKEN_LIMIT_REACHED);
    clock.advance(1);
    const second = await reserve(9n);
    await billing.release({ hold: first });
    expect(await used()).toEqual([9n, 9n]);
    clock.advance(DAY_MS);
    await reserve(10n);
    await billing.release({ hold: second });
    expect(await used()).toEqual([10n, 10n]);
    await addsUp();
  });

  it("whose use is not that of its holds is named by an audit, of the account and of a key", async () => {
    const keyId = randomId("key");
    const limits = { dayTokens: 10n, monthTokens: 20n };
    const { accountId, of, reserve, setLimits, addsUp } = await limited(limits);
    await setLimits({ dayTokens: 10n, keyId });
    await reserve(3n, keyId);
    await reserve(2n);
    await addsUp();
    const change = (by: number) => billing.owner`
      update billing.limit_usage set tokens = tokens + ${by} where account_id = ${accountId} and period = 'day'`;
    await change(1);
    const day = clock.now().toISOString().slice(0, 10);
    const [named] = (await billing.auditAccount(of)).differences;
    expect(named?.found.split(" ").toSorted()).toEqual([`/day/${day}`, `${keyId}/day/${day}`]);
    await change(-1);
    await addsUp();
  });

  it("that is new or changed counts what was reserved in its period before, and one that was removed limits nothing", async () => {
    const keyId = randomId("key");
    const { reserve, setLimits, used, addsUp } = await limited({});
    const before = await reserve(6n, keyId);
    await billing.release({ hold: await reserve(3n, keyId) });
    clock.advance(DAY_MS);
    await reserve(5n, keyId);
    await billing.capture({ hold: await reserve(3n), tokens: 2n });
    await setLimits({ dayTokens: 8n, monthTokens: 13n });
    await setLimits({ keyId, monthTokens: 12n });
    expect(await used()).toEqual([7n, 13n, 11n]);
    expect(await refusalOf(reserve(1n))).toMatchObject({ metadata: { period: "month" } });
    await billing.release({ hold: before });
    expect(await used()).toEqual([7n, 7n, 5n]);
    await setLimits({});
    await setLimits({ keyId });
    expect(await used()).toEqual([]);
    await reserve(1_000n, keyId);
    await setLimits({ dayTokens: 1_007n });
    expect(await used()).toEqual([1_007n]);
    await addsUp();
  });

  it("that is new lets others reserve while its use is summed, and counts what moves meanwhile", async () => {
    const { reserve, setLimits, used, addsUp } = await limited({});
    const other = await limited({});
    const restored = await reserve(5n);
    const set = () => setLimits({ dayTokens: 100n, monthTokens: 100n });
    const moves = () =>
      Promise.all([reserve(3n), other.reserve(2n), billing.release({ hold: restored })]);
    await insertTogether(billing.owner, "billing.limit_usage", [set], moves);
    expect(await used()).toEqual([3n, 3n]);
    await addsUp();
  });

  it("that is new counts for each day what was reserved on it, though its call lasts past midnight", async () => {
    const { accountId, reserve, rows } = await limited({});
    await reserve(10n);
    const began = clock.now();
    clock.advance(DAY_MS);
    await reserve(70n);
    await billing.sql`select billing.set_token_limits(${accountId}, '', 100, null, ${began})`;
    await reserve(5n);
    expect((await rows()).map(({ tokens }) => tokens)).toEqual([10n, 75n]);
  });

  it("does not limit test Tokens", async () => {
    const { accountId } = await limited({ dayTokens: 1n });
    const test = { accountId, mode: Mode.TEST };
    const hold = { ...test, generationId: randomId("vgen"), attempt: 1 };
    await billing.reserve({ hold, tokens: 500n });
    expect((await billing.getBalance(test)).limits).toEqual([]);
  });
});

describe("a limit of end users", () => {
  beforeAll(() => clock.advance(Date.parse("2027-01-30T10:00:00Z") - clock.now().getTime()));

  it("holds for each on their own, and for no create without one; it tells of nothing, and who they are is not kept", async () => {
    const limits = { perEndUser: true, dayTokens: 100n, monthTokens: 1_000n };
    const { accountId, reserveFor, balance, rows, addsUp } = await limited(limits);
    await billing.setAlerts({ accountId, alerts: { limitPercents: [1, 100], mail: true } });
    await reserveFor("anna", 70n);
    await reserveFor("ben", 100n);
    await reserveFor("", 500n);
    expect(await refusalOf(reserveFor("anna", 31n))).toMatchObject({
      reason: ErrorReason.TOKEN_LIMIT_REACHED,
      message: expect.stringContaining("70 of the end user's limit of 100 a day are used"),
      metadata: { scope: "end_user", key_id: "", period: "day", tokens: "100", used: "70" },
    });
    expect(await balance()).toEqual([999_330n, 670n]);
    await reserveFor("anna", 30n);
    const names = new Set((await rows()).map(({ countedFor }) => countedFor));
    expect(names.size).toBe(2);
    for (const name of names) expect(name).toMatch(/^user_[0-9a-f]{32}$/);
    const holds = await billing.owner<{ row: string }[]>`
      select h::text as row from billing.holds h where account_id = ${accountId}`;
    expect(holds.filter(({ row }) => /anna|ben/.test(row))).toEqual([]);
    expect((await billing.claimAlerts({ limit: 100 })).alerts).toEqual([]);
    await addsUp();
  });

  it("is listed with the account's, and is neither in the balance nor together with a key", async () => {
    const { accountId, reserveFor } = await limited({ perEndUser: true, monthTokens: 9n });
    await billing.setTokenLimits({ accountId, dayTokens: 8n });
    await reserveFor("anna", 2n);
    expect((await billing.getTokenLimits({ accountId })).limits).toMatchObject([
      { keyId: "", perEndUser: false, period: LimitPeriod.DAY, tokens: 8n, used: 2n },
      { keyId: "", perEndUser: true, period: LimitPeriod.MONTH, tokens: 9n, used: 0n },
    ]);
    const { limits } = await billing.getBalance({ accountId, mode: Mode.LIVE });
    expect(limits).toMatchObject([{ perEndUser: false, tokens: 8n }]);
    const both = { accountId, perEndUser: true, keyId: randomId("key"), dayTokens: 1n };
    const refused = { reason: ErrorReason.INVALID_FIELD, field: "per_end_user" };
    expect(await refusalOf(billing.setTokenLimits(both))).toMatchObject(refused);
  });

  it("gets back what is restored; a new or changed one counts what each reserved in its period before", async () => {
    const { reserveFor, setLimits, rows, addsUp } = await limited({ perEndUser: true });
    const restored = await reserveFor("anna", 6n);
    await reserveFor("anna", 4n);
    await reserveFor("ben", 3n);
    await reserveFor("", 2n);
    await setLimits({ perEndUser: true, monthTokens: 10n });
    const tokens = async () =>
      (await rows()).map((row) => Number(row.tokens)).toSorted((a, b) => a - b);
    expect(await tokens()).toEqual([3, 10]);
    expect(await refusalOf(reserveFor("anna", 1n))).toMatchObject({ metadata: { used: "10" } });
    await billing.release({ hold: restored });
    expect(await tokens()).toEqual([3, 4]);
    await reserveFor("anna", 6n);
    await setLimits({ perEndUser: true, monthTokens: 11n });
    expect(await tokens()).toEqual([3, 10]);
    await addsUp();
    await setLimits({ perEndUser: true });
    expect(await rows()).toEqual([]);
    await reserveFor("anna", 1_000n);
  });

  it("leaves no counts of past periods: later creates of the account delete them", async () => {
    const limits = { perEndUser: true, dayTokens: 10n, monthTokens: 20n };
    const { reserveFor, rows, addsUp } = await limited(limits);
    for (let i = 0; i < 12; i++) await reserveFor(`user ${i}`, 1n);
    expect(await rows()).toHaveLength(24);
    clock.advance(31 * DAY_MS);
    // A count deletes eight at most; the days, a month ago, are not old enough yet.
    await reserveFor("anna", 1n);
    expect(await rows()).toHaveLength(18);
    await reserveFor("anna", 1n);
    expect(await rows()).toHaveLength(14);
    clock.advance(2 * DAY_MS);
    await reserveFor("anna", 1n);
    await reserveFor("anna", 1n);
    const left = (await rows()).map(({ startsOn }) => startsOn);
    expect(left).toEqual(["2027-03-01", "2027-03-02", "2027-03-04"]);
    await addsUp();
  });
});

/** The alerts of the account that are due, which are then confirmed. */
async function takeAlerts(accountId: string) {
  const { alerts } = await billing.claimAlerts({ limit: 100 });
  const own = alerts.filter(({ alert }) => alert?.accountId === accountId);
  for (const { alert } of own)
    await billing.confirmAlert({ accountId, eventId: alert?.eventId ?? "" });
  return own.map(({ alert }) => alert?.what?.value);
}

describe("an alert", () => {
  it("about a limit comes once for each percentage in a period, and when a create is refused", async () => {
    const { accountId, reserve, setLimits } = await limited({ dayTokens: 100n });
    const settings = { limitPercents: [50, 80, 100], webhookUrl: "", mail: true };
    await billing.setAlerts({ accountId, alerts: settings });
    const reached = () => takeAlerts(accountId);
    await reserve(49n);
    expect(await reached()).toEqual([]);
    const restored = await reserve(36n);
    expect(await reached()).toMatchObject([{ percent: 80, limit: { used: 85n, tokens: 100n } }]);
    await billing.release({ hold: restored });
    await reserve(40n);
    expect(await reached()).toEqual([]);
    await refusalOf(reserve(60n));
    await refusalOf(reserve(60n));
    expect(await reached()).toMatchObject([{ percent: 100, limit: { used: 89n } }]);
    clock.advance(DAY_MS);
    await reserve(50n);
    expect(await reached()).toMatchObject([{ percent: 50, limit: { used: 50n } }]);
    await setLimits({ dayTokens: 90n });
    await reserve(1n);
    expect(await reached()).toMatchObject([{ percent: 50, limit: { used: 51n, tokens: 90n } }]);
  });

  it("about the balance comes once when it falls below the threshold, and again after it was back", async () => {
    const { accountId, of, reserve } = await billing.account(100n);
    await billing.setAlerts({ accountId, alerts: { lowBalance: 60n, mail: true } });
    const low = () => takeAlerts(accountId);
    await reserve(40n);
    expect(await low()).toEqual([]);
    await Promise.all([10n, 15n, 20n].map((tokens) => reserve(tokens)));
    expect(await low()).toMatchObject([{ threshold: 60n }]);
    await billing.adjust({ ...of, tokens: -1n, reason: "correction" });
    expect(await low()).toEqual([]);
    await billing.recharge({ ...of, tokens: 50n, note: "invoice 8" });
    await billing.adjust({ ...of, tokens: -20n, reason: "correction" });
    expect(await low()).toMatchObject([
      { threshold: 60n, balance: { available: 44n, reserved: 85n } },
    ]);
  });

  it("is claimed by one caller at a time, again after a minute, under the same event id until it is confirmed", async () => {
    const { accountId, reserve } = await limited({ dayTokens: 10n });
    const sentTo = { webhookUrl: "https://shop.example.com/alerts", mail: false };
    await billing.setAlerts({ accountId, alerts: { limitPercents: [100], ...sentTo } });
    await reserve(10n);
    const claim = async () => {
      const due = await billing.claimAlerts({ limit: 100 });
      return due.alerts.filter(({ alert }) => alert?.accountId === accountId);
    };
    const claimed = await Promise.all([claim(), claim()]);
    const [first] = claimed.flat();
    expect(claimed.flat()).toHaveLength(1);
    expect(first).toMatchObject(sentTo);
    expect(await claim()).toEqual([]);
    clock.advance(60_000);
    expect(await claim()).toEqual([first]);
    const eventId = first?.alert?.eventId ?? "";
    expect(eventId).toMatch(/^evt_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    await billing.confirmAlert({ accountId, eventId });
    clock.advance(60_000);
    expect(await claim()).toEqual([]);
  });
});
