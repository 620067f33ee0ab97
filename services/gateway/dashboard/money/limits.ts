/** Operations on limits of Tokens, and on the alerts about them. */
import type { FastifyRequest } from "fastify";
import { recordAndCall } from "../session/change-account.ts";
import type { Schemas, DashboardOperation } from "../session/operation.ts";
import type { SessionDeps } from "../session/deps.ts";
import { membershipOf } from "../session/request-state.ts";
import { presentAccountLimits } from "../../edge/presenters/account.ts";

/** A limit that the request does not have is removed. */
export async function changeLimits(
  deps: SessionDeps,
  request: FastifyRequest,
  whose: "account" | "end_users" | { keyId: string },
): Promise<void> {
  const { accountId } = membershipOf(request);
  const { day, month } = request.body as Schemas["LimitsRequest"];
  const details = { day: day ?? "none", month: month ?? "none" };
  const keyId = typeof whose === "object" ? whose.keyId : undefined;
  const perEndUser = whose === "end_users";
  const target = perEndUser ? whose : keyId;
  const change = { action: "limits.set", target, mode: "live", details } as const;
  await recordAndCall(deps, request, change, () =>
    deps.billing.setTokenLimits({
      accountId,
      keyId: keyId ?? "",
      perEndUser,
      ...(day === undefined ? {} : { dayTokens: BigInt(day) }),
      ...(month === undefined ? {} : { monthTokens: BigInt(month) }),
    }),
  );
}

export const retrieveLimits: DashboardOperation = (deps) => (request) => readLimits(deps, request);

/** The limits of the account in the path as they are now. */
export async function readLimits(
  { billing }: Pick<SessionDeps, "billing">,
  request: FastifyRequest,
): Promise<Schemas["AccountLimits"]> {
  const { accountId } = membershipOf(request);
  return presentAccountLimits(await billing.getTokenLimits({ accountId }));
}

export const setLimits: DashboardOperation = (deps) => async (request) => {
  await changeLimits(deps, request, "account");
  return readLimits(deps, request);
};

export const setEndUserLimits: DashboardOperation = (deps) => async (request) => {
  await changeLimits(deps, request, "end_users");
  return readLimits(deps, request);
};

export const setAlerts: DashboardOperation = (deps) => async (request) => {
  const { accountId } = membershipOf(request);
  const settings = request.body as Schemas["AlertSettings"];
  const { low_balance: low, limit_percents: limitPercents, webhook_url: url, mail } = settings;
  const details = {
    low_balance: low ?? "none",
    limit_percents: limitPercents.join(", "),
    webhook_url: url ?? "none",
    mail: String(mail),
  };
  const change = { action: "alerts.set", mode: "live", details } as const;
  const alerts = {
    ...(low === undefined ? {} : { lowBalance: BigInt(low) }),
    limitPercents,
    webhookUrl: url ?? "",
    mail,
  };
  await recordAndCall(deps, request, change, () => deps.billing.setAlerts({ accountId, alerts }));
  return readLimits(deps, request);
};
