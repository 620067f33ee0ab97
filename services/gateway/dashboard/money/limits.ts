/** Operations on limits of Tokens, the alerts about them, and what users ask operators for. */
import { presentPage, publicOf, required } from "../../edge/operations/operation.ts";
import { changeAccount, recordAndCall } from "../session/access.ts";
import type { DashboardCall, DashboardOperation, Schemas } from "../session/sessions.ts";
import * as session from "../session/sessions.ts";
import { publicTokenLimit } from "#vocabulary/public-values.ts";
import { Problem } from "../../edge/http/problem.ts";
import * as store from "../../store/store.ts";

export function tokensOf(number: number | undefined): bigint | undefined {
  return number === undefined ? undefined : BigInt(number);
}

/** A limit that the request does not have is removed. Answers the account's limits as they are then. */
export async function changeLimits(
  call: DashboardCall,
  { keyId = "", perEndUser = false }: { keyId?: string; perEndUser?: boolean } = {},
) {
  const { deps, request } = call;
  const { accountId } = session.membershipOf(request);
  const { day, month } = request.body as Schemas["LimitsRequest"];
  const details = { day: day ?? "none", month: month ?? "none" };
  const target = perEndUser ? "end_users" : keyId || undefined;
  const change = { action: "limits.set", target, mode: "live", details } as const;
  const limits = { dayTokens: tokensOf(day), monthTokens: tokensOf(month) };
  await recordAndCall(call, change, () =>
    deps.billing.setTokenLimits({ accountId, keyId, perEndUser, ...limits }),
  );
  return retrieveLimits(call);
}

export const retrieveLimits: DashboardOperation = async ({ deps, request }) => {
  const { accountId } = session.membershipOf(request);
  const { limits, alerts } = await deps.billing.getTokenLimits({ accountId });
  const { webhookUrl, ...settings } = required(alerts);
  return {
    object: "account_limits",
    limits: limits.map(publicTokenLimit),
    alerts: { ...publicOf(settings), ...(webhookUrl === "" ? {} : { webhook_url: webhookUrl }) },
  } satisfies Schemas["AccountLimits"];
};

export const setLimits: DashboardOperation = (call) => changeLimits(call);

export const setEndUserLimits: DashboardOperation = (call) =>
  changeLimits(call, { perEndUser: true });

export const setAlerts: DashboardOperation = async (call) => {
  const { deps, request } = call;
  const { accountId } = session.membershipOf(request);
  const settings = request.body as Schemas["AlertSettings"];
  const { low_balance: low, limit_percents: limitPercents, webhook_url: url, mail } = settings;
  const details = {
    low_balance: low ?? "none",
    limit_percents: limitPercents.join(", "),
    webhook_url: url ?? "none",
    mail: String(mail),
  };
  const change = { action: "alerts.set", mode: "live", details } as const;
  const alerts = { lowBalance: tokensOf(low), limitPercents, webhookUrl: url ?? "", mail };
  await recordAndCall(call, change, () => deps.billing.setAlerts({ accountId, alerts }));
  return retrieveLimits(call);
};

export const createRequest: DashboardOperation = async (call) => {
  const { deps, request } = call;
  const { kind, tokens, message } = request.body as Schemas["CreateRequestRequest"];
  const { accountId } = session.membershipOf(request);
  const { id: userId, email } = session.userOf(request);
  if (kind === "tokens" && tokens === undefined) {
    throw new Problem("missing_field", { message: "tokens is required.", param: "tokens" });
  }
  if (kind === "production" && tokens !== undefined) {
    const text = "tokens belongs to a request for Tokens. Leave it out.";
    throw new Problem("invalid_value", { message: text, param: "tokens" });
  }
  const id = deps.newId("ask");
  const by = { accountId, userId, email, createdAt: deps.clock.now() };
  const wanted = { ...by, id, kind, message, tokens: tokensOf(tokens) ?? null };
  const row = await changeAccount(call, async ({ sql, record }) => {
    const created = await store.insertAccountRequestIfNoneWaits(sql, wanted);
    if (!created) throw new Problem("request_waiting");
    await record({ action: "request.create", target: id, details: { kind, tokens } });
    return created;
  });
  return presentAccountRequest(row);
};

const MAX_SHOWN = 20;

export const listRequests: DashboardOperation = async ({ deps, request }) => {
  const { accountId } = session.membershipOf(request);
  const rows = await store.listAccountRequests(deps.sql, accountId, MAX_SHOWN);
  return presentPage(rows.map(presentAccountRequest));
};

function presentAccountRequest(row: store.AccountRequestRow): Schemas["AccountRequest"] {
  return { ...publicOf(row), status: row.decision ?? "waiting" };
}
