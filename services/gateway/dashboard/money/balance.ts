/** Operations on balances and usage. */
import { required, presentWholeList } from "../../edge/operations/operation.ts";
import { modeOf } from "#vocabulary/names.ts";
import { presentBalance, readUsage, spanOfDays } from "../../edge/operations/balance.ts";
import { type DashboardOperation, membershipOf, type Schemas } from "../session/sessions.ts";
import { callerOf } from "../../edge/http/request-state.ts";
import type { operations } from "#gen/openapi/dashboard.ts";
import type { Usage } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { findKeyNames } from "../../store/api-keys.ts";
import { presentKey } from "./transactions.ts";

const MODES = ["live", "test"] as const;

export const listBalances: DashboardOperation = (deps) => async (request) => {
  const { accountId } = membershipOf(request);
  const balances = await Promise.all(
    MODES.map(async (mode) => {
      const { balance, limits } = await deps.billing.getBalance({ accountId, mode: modeOf(mode) });
      return presentBalance(mode, required(balance), limits, deps.tokenPrice);
    }),
  );
  return presentWholeList(balances) satisfies Schemas["BalanceList"];
};

type GroupsQuery = operations["listUsageGroups"]["parameters"]["query"];

export const listUsageGroups: DashboardOperation = (deps) => async (request) => {
  const { accountId } = callerOf(request);
  const { group_by: groupBy, ...days } = request.query as GroupsQuery;
  const span = spanOfDays(deps.clock.now(), days);
  const { from, to } = span;
  const usage = await readUsage(deps, request, span, groupBy === "day" ? undefined : groupBy);
  const charged = usage.filter(({ generations }) => generations > 0n);
  const ids = groupBy === "key" ? charged.map(({ keyId }) => keyId) : [];
  const names = await findKeyNames(deps.sql, accountId, ids);
  const data = charged
    .map((group) => ({
      ...nameOf(group, names),
      tokens: Number(group.tokens),
      generations: Number(group.generations),
    }))
    .toSorted((a, b) => b.tokens - a.tokens);
  return { object: "usage.groups", from, to, data } satisfies Schemas["UsageGroups"];
};

function nameOf({ date, model, keyId, endUser }: Usage, names: ReadonlyMap<string, string>) {
  return {
    ...(date && { date }),
    ...(model && { model }),
    ...presentKey(keyId, names),
    ...(endUser && { end_user: endUser }),
  };
}
