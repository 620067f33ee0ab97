/** Limits of Tokens and alerts: who sets them, what is recorded, and how alerts reach the account. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { LimitPeriod, type TokenLimitSchema } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { randomId } from "#runtime/id.ts";
import { forTests } from "../../support/for-tests.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { secretsIn, startSmtp } from "../../support/smtp-server.ts";
import { codeOf, mailBy, PASSWORD, useDashboard } from "./browser.ts";

const MINUTE_MS = 60_000;
const OWNER = "limits-owner@example.com";
const BILLING = "limits-billing@example.com";
const URL = "https://shop.example.com/hooks/alerts";

const clock = manualClock("2026-11-17T12:00:00.000Z");
const smtp = forTests(startSmtp);
const { harness, newBrowser, newOwner } = useDashboard(async () => ({
  clock,
  config: { mail: mailBy(smtp) },
}));

const owner = forTests(() => newOwner(OWNER));
let accountId: string;

beforeAll(async () => {
  accountId = owner.account;
  for (const role of ["developer", "billing"]) {
    const email = `limits-${role}@example.com`;
    await owner.invite(email, role);
    const { token } = secretsIn(await smtp.next(email));
    await newBrowser().signUp(email, { invitation: token });
  }
  const former = { email: "limits-former@example.com", name: "Former", password: PASSWORD };
  await harness.accounts.createUser({ accountId, ...former });
  await harness.accounts.disableUser(former);
  await harness.accounts.grantProduction({ accountId });
});

const lastEntries = () => owner.auditLog("?limit=1");
const answerLimit = (limit: MessageInitShape<typeof TokenLimitSchema>) => {
  const alerts = { mail: true, limitPercents: [80], webhookUrl: URL };
  harness.backends.getTokenLimits = () => ({ limits: [limit], alerts });
};

describe("the settings", () => {
  it("of limits are set as a whole, of the account or of each end user, with an entry in the audit log, and shown with what is used", async () => {
    const resets_at = "2026-12-01T00:00:00.000Z";
    const limit = { period: LimitPeriod.MONTH, tokens: 5_000n, used: 40n };
    const resetsAt = timestampFromDate(new Date(resets_at));
    answerLimit({ ...limit, resetsAt });
    const answer = await owner.send("PUT", "/limits", { month: 5_000 });
    const shown = { scope: "account", period: "month", tokens: 5_000, used: 40, resets_at };
    const alerts = { limit_percents: [80], webhook_url: URL, mail: true };
    expect(answer.body).toEqual({ object: "account_limits", limits: [shown], alerts });
    const [request] = harness.requestsTo("setTokenLimits");
    expect(request).toMatchObject({ accountId, keyId: "", perEndUser: false, monthTokens: 5_000n });
    expect(request).not.toHaveProperty("dayTokens");
    const details = { day: "none", month: "5000" };
    expect(await lastEntries()).toMatchObject([{ action: "limits.set", mode: "live", details }]);

    answerLimit({ ...limit, perEndUser: true, resetsAt });
    clock.advance(1);
    const ofEach = await owner.send("PUT", "/limits/end-users", { day: 600 });
    expect(ofEach.body).toMatchObject({ limits: [{ ...shown, scope: "end_user" }] });
    const askedOfEach = { accountId, keyId: "", perEndUser: true, dayTokens: 600n };
    expect(harness.requestsTo("setTokenLimits")[1]).toMatchObject(askedOfEach);
    const entry = { target: "end_users", details: { day: "600", month: "none" } };
    expect(await lastEntries()).toMatchObject([{ action: "limits.set", ...entry }]);
  });

  it("of a key's limits are for live keys of the account", async () => {
    const keyOf = async (mode: Mode, of = accountId) =>
      (await harness.accounts.createKey({ accountId: of, mode })).key?.id ?? "";
    const live = await keyOf(Mode.LIVE);
    const set = (id: string) => owner.send("PUT", `/keys/${id}/limits`, { day: 10 });
    clock.advance(1);
    expect((await set(live)).status).toBe(200);
    expect(await lastEntries()).toMatchObject([{ action: "limits.set", target: live }]);
    const { accountId: stranger } = await harness.newKey("live");
    for (const id of [await keyOf(Mode.TEST), await keyOf(Mode.LIVE, stranger), "key_nonsense"])
      expect(codeOf(await set(id))).toEqual([404, "key_not_found"]);
    expect(harness.requestsTo("setTokenLimits")).toMatchObject([{ keyId: live, dayTokens: 10n }]);
  });

  it("of alerts take no URL that webhooks may not be sent to", async () => {
    const settings = { low_balance: 1_000, limit_percents: [80, 100], mail: false };
    const set = (change: object) => owner.send("PUT", "/alerts", { ...settings, ...change });
    expect((await set({ webhook_url: URL })).status).toBe(200);
    const local = await set({ webhook_url: "https://10.0.0.1/hook" });
    expect(codeOf(local)).toEqual([400, "url_not_allowed"]);
    // Without the hint at the command line's `listen`, which has no alerts.
    const message = "webhook_url: the URL must name a public host.";
    expect(local.body).toMatchObject({ error: { message } });
    for (const wrong of [{ limit_percents: [0] }, { low_balance: 0 }, { limit_percents: [5, 5] }])
      expect((await set(wrong)).status).toBe(400);
    const percents = { limitPercents: [80, 100] };
    const alerts = { lowBalance: 1_000n, ...percents, webhookUrl: URL, mail: false };
    expect(harness.requestsTo("setAlerts")).toMatchObject([{ accountId, alerts }]);
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

  const dueAlert = (to: { webhookUrl?: string; mail?: boolean }) => {
    const value = { balance: { available: 95n }, threshold: 100n };
    const what = { case: "lowBalance" as const, value };
    const at = timestampFromDate(clock.now());
    return { alert: { accountId, eventId: randomId("evt"), at, what }, ...to };
  };

  const mailed = () => smtp.received.map(({ to }) => to);
  const failures = () => harness.logLines.filter(({ loop }) => loop === "alerts");

  /** Lets the gateway claim the alert, and waits until it has called `method`. */
  async function deliver(alert: ReturnType<typeof dueAlert>, method: "confirmAlert" | "sendAlert") {
    const calls = () => harness.requestsTo(method).length;
    const before = calls();
    due = [alert];
    clock.advance(MINUTE_MS);
    await expect.poll(calls).toBe(before + 1);
  }

  it("goes to the account's URL and by mail to owners and billing, and is confirmed after that", async () => {
    const alert = dueAlert({ webhookUrl: URL, mail: true });
    const { eventId } = alert.alert;
    await deliver(alert, "confirmAlert");
    expect(harness.requestsTo("sendAlert")).toMatchObject([{ url: URL, alert: alert.alert }]);
    expect(harness.requestsTo("confirmAlert")).toMatchObject([{ eventId }]);
    const text = expect.stringContaining("95 live Tokens are available, fewer than the 100");
    const mail = { to: `${BILLING},${OWNER}`, text, messageId: `<${eventId}@example.com>` };
    expect(smtp.received).toMatchObject([mail]);
  });

  it("whose mail cannot be sent now comes again, and is mailed once", async () => {
    const alert = dueAlert({ mail: true });
    for (const address of [OWNER, BILLING]) smtp.refusals.set(address, 451);
    due = [alert];
    clock.advance(MINUTE_MS);
    await expect.poll(failures).toHaveLength(1);
    expect(harness.requestsTo("confirmAlert")).toEqual([]);
    smtp.refusals.clear();
    await deliver(alert, "confirmAlert");
    expect(mailed()).toEqual([`${BILLING},${OWNER}`]);
  });

  it("is confirmed though a mail server never takes one address, or any", async () => {
    for (const address of [OWNER, BILLING]) {
      smtp.refusals.set(address, 550);
      await deliver(dueAlert({ mail: true }), "confirmAlert");
      expect(mailed()).toEqual([BILLING]);
    }
  });

  it("that was not accepted is not confirmed, and comes again; without URL and mail nothing is sent", async () => {
    harness.backends.sendAlert = () => {
      throw new ConnectError("delivery is away", Code.Unavailable);
    };
    const alert = dueAlert({ webhookUrl: URL });
    await deliver(alert, "sendAlert");
    harness.backends.sendAlert = () => ({});
    await deliver(alert, "confirmAlert");
    await deliver(dueAlert({}), "confirmAlert");
    expect(harness.requestsTo("sendAlert")).toHaveLength(2);
    expect(harness.requestsTo("confirmAlert")).toHaveLength(2);
  });
});
