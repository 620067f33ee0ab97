/** Limits of Tokens and alerts: who sets them, what is recorded, and how alerts reach the account. */
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  AlertSettingsSchema,
  DueAlertSchema,
  LimitPeriod,
  TokenLimitSchema,
} from "#gen/proto/media/billing/v1/billing_pb.ts";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { randomId } from "#runtime/id.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { secretsIn, startSmtp, type Smtp } from "../../support/smtp-server.ts";
import { useHarness } from "../harness.ts";
import { PASSWORD, newBrowser, type Browser, type Schemas } from "./browser.ts";

const MINUTE_MS = 60_000;
const OWNER = "limits-owner@example.com";
const BILLING = "limits-billing@example.com";
const URL = "https://shop.example.com/hooks/alerts";

const clock = manualClock("2026-11-17T12:00:00.000Z");
let smtp: Smtp;
const harness = useHarness(async () => {
  smtp = await startSmtp();
  return {
    clock,
    config: { mail: { kind: "smtp", url: smtp.url, from: "Media <m@example.com>" } },
  };
});

let owner: Browser;
let account: string;

beforeAll(async () => {
  owner = newBrowser(harness);
  account = (await harness.accounts.createAccount({ name: "Studio" })).account?.id ?? "";
  const login = { email: OWNER, password: PASSWORD };
  await harness.accounts.createUser({ accountId: account, name: "Owner", ...login });
  await owner.send("POST", "/auth/sign-in", login);
  for (const role of ["developer", "billing"]) {
    const email = `limits-${role}@example.com`;
    await owner.send("POST", at("/invitations"), { email, role });
    const { token } = secretsIn(await smtp.next(email));
    await newBrowser(harness).signUp(email, token);
  }
  await harness.accounts.grantProduction({ accountId: account });
});
afterAll(() => smtp[Symbol.asyncDispose]());

const at = (path: string) => `/accounts/${account}${path}`;
const called = (method: string) =>
  harness.calls.filter((call) => call.method === method).map(({ request }) => request);

async function latestEntries(count: number): Promise<Schemas["AuditEntry"][]> {
  const path = at(`/audit-log?limit=${count}`);
  return (await owner.send<Schemas["AuditEntryList"]>("GET", path)).body.data;
}

describe("the settings", () => {
  it("of limits are set as a whole, with an entry in the audit log, and shown with what is used", async () => {
    const resetsAt = timestampFromDate(new Date("2026-12-01T00:00:00Z"));
    const limit = { period: LimitPeriod.MONTH, tokens: 5_000n, used: 40n, resetsAt };
    harness.backends.getTokenLimits = () => ({
      limits: [create(TokenLimitSchema, limit)],
      alerts: create(AlertSettingsSchema, { limitPercents: [80], webhookUrl: URL, mail: true }),
    });
    const answer = await owner.send("PUT", at("/limits"), { month: 5_000 });
    expect(answer.body).toEqual({
      object: "account_limits",
      limits: [
        {
          scope: "account",
          period: "month",
          tokens: 5_000,
          used: 40,
          resets_at: "2026-12-01T00:00:00.000Z",
        },
      ],
      alerts: { limit_percents: [80], webhook_url: URL, mail: true },
    });
    const [request] = called("setTokenLimits");
    expect(request).toMatchObject({
      accountId: account,
      keyId: "",
      perEndUser: false,
      monthTokens: 5_000n,
    });
    expect(request).not.toHaveProperty("dayTokens");
    expect(await latestEntries(1)).toMatchObject([
      { action: "limits.set", mode: "live", details: { day: "none", month: "5000" } },
    ]);
  });

  it("of end users' limits hold for each, and are shown as theirs", async () => {
    const resetsAt = timestampFromDate(new Date("2026-11-18T00:00:00Z"));
    const limit = { period: LimitPeriod.DAY, tokens: 600n, perEndUser: true, resetsAt };
    harness.backends.getTokenLimits = () => ({
      limits: [create(TokenLimitSchema, limit)],
      alerts: create(AlertSettingsSchema, { mail: true }),
    });
    clock.advance(1);
    const answer = await owner.send("PUT", at("/limits/end-users"), { day: 600 });
    expect(answer.body).toMatchObject({
      limits: [{ scope: "end_user", period: "day", tokens: 600, used: 0 }],
    });
    expect(called("setTokenLimits")).toMatchObject([
      { accountId: account, keyId: "", perEndUser: true, dayTokens: 600n },
    ]);
    expect(await latestEntries(1)).toMatchObject([
      { action: "limits.set", target: "end_users", details: { day: "600", month: "none" } },
    ]);
  });

  it("of a key's limits are for live keys of the account", async () => {
    const keyOf = async (mode: Mode, accountId = account) =>
      (await harness.accounts.createKey({ accountId, mode })).key?.id ?? "";
    const live = await keyOf(Mode.LIVE);
    clock.advance(1);
    expect((await owner.send("PUT", at(`/keys/${live}/limits`), { day: 10 })).status).toBe(200);
    expect(await latestEntries(1)).toMatchObject([{ action: "limits.set", target: live }]);
    const { accountId: stranger } = await harness.newKey("live");
    for (const id of [await keyOf(Mode.TEST), await keyOf(Mode.LIVE, stranger), "key_nonsense"]) {
      const { status, body } = await owner.send("PUT", at(`/keys/${id}/limits`), { day: 10 });
      expect([status, body.error.code]).toEqual([404, "key_not_found"]);
    }
    expect(called("setTokenLimits")).toMatchObject([{ keyId: live, dayTokens: 10n }]);
  });

  it("of alerts take no URL that webhooks may not be sent to", async () => {
    const settings = { low_balance: 1_000, limit_percents: [80, 100], mail: false };
    const set = (change: object) => owner.send("PUT", at("/alerts"), { ...settings, ...change });
    expect((await set({ webhook_url: URL })).status).toBe(200);
    expect(called("setAlerts")).toMatchObject([
      {
        accountId: account,
        alerts: { lowBalance: 1_000n, limitPercents: [80, 100], webhookUrl: URL, mail: false },
      },
    ]);
    const { status, body } = await set({ webhook_url: "https://10.0.0.1/hook" });
    expect([status, body.error.code]).toEqual([400, "url_not_allowed"]);
    for (const wrong of [{ limit_percents: [0] }, { low_balance: 0 }, { limit_percents: [5, 5] }]) {
      expect((await set(wrong)).status).toBe(400);
    }
    expect(called("setAlerts")).toHaveLength(1);
  });
});

describe("an alert", () => {
  let due: ReturnType<typeof dueAlert>[] = [];

  beforeEach(() => {
    due = [];
    harness.logLines.length = 0;
    smtp.received.length = 0;
    smtp.refusals.clear();
    harness.backends.claimAlerts = () => ({ alerts: due.splice(0) });
  });

  const dueAlert = (change: { webhookUrl?: string; mail?: boolean }) =>
    create(DueAlertSchema, {
      alert: {
        accountId: account,
        eventId: randomId("evt"),
        at: timestampFromDate(clock.now()),
        what: { case: "lowBalance", value: { balance: { available: 95n }, threshold: 100n } },
      },
      ...change,
    });

  const mailed = () => smtp.received.map(({ to }) => to);
  const failures = () => harness.logLines.filter(({ loop }) => loop === "alerts");

  /** Lets the gateway claim the alert, and waits until it has called `method`. */
  async function deliver(alert: ReturnType<typeof dueAlert>, method: string) {
    const before = called(method).length;
    due = [alert];
    clock.advance(MINUTE_MS);
    await expect.poll(() => called(method).length).toBe(before + 1);
  }

  it("goes to the account's URL and by mail to owners and billing, and is confirmed after that", async () => {
    const alert = dueAlert({ webhookUrl: URL, mail: true });
    await deliver(alert, "confirmAlert");
    expect(called("sendAlert")).toMatchObject([{ url: URL, alert: alert.alert }]);
    expect(called("confirmAlert")).toMatchObject([{ eventId: alert.alert?.eventId }]);
    expect(mailed()).toEqual([`${BILLING},${OWNER}`]);
    expect(smtp.received[0]?.text).toContain("95 live Tokens are available, fewer than the 100");
    expect(smtp.received[0]?.messageId).toBe(`<${alert.alert?.eventId}@example.com>`);
  });

  it("whose mail cannot be sent now comes again, and is mailed once", async () => {
    const alert = dueAlert({ mail: true });
    for (const address of [OWNER, BILLING]) smtp.refusals.set(address, 451);
    due = [alert];
    clock.advance(MINUTE_MS);
    await expect.poll(failures).toHaveLength(1);
    expect(called("confirmAlert")).toEqual([]);
    smtp.refusals.clear();
    await deliver(alert, "confirmAlert");
    expect(mailed()).toEqual([`${BILLING},${OWNER}`]);
  });

  it("is confirmed though a mail server never takes one address, or any", async () => {
    smtp.refusals.set(OWNER, 550);
    await deliver(dueAlert({ mail: true }), "confirmAlert");
    expect(mailed()).toEqual([BILLING]);
    smtp.refusals.set(BILLING, 550);
    await deliver(dueAlert({ mail: true }), "confirmAlert");
    expect(mailed()).toEqual([BILLING]);
  });

  it("that was not accepted is not confirmed, and comes again; without URL and mail nothing is sent", async () => {
    harness.backends.sendAlert = () => {
      throw new ConnectError("delivery is away", Code.Unavailable);
    };
    const alert = dueAlert({ webhookUrl: URL });
    await deliver(alert, "sendAlert");
    harness.backends.sendAlert = () => ({});
    await deliver(alert, "confirmAlert");
    expect(called("sendAlert")).toHaveLength(2);
    await deliver(dueAlert({}), "confirmAlert");
    expect(called("sendAlert")).toHaveLength(2);
    expect(called("confirmAlert")).toHaveLength(2);
  });
});
