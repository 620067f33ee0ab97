/** What was charged by model, API key or end user: GET /accounts/{account_id}/usage/groups. */
import type { operations } from "#gen/openapi/dashboard.ts";
import type { Usage } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { MAX_USAGE_DAYS } from "#vocabulary/max-usage-days.ts";
import { USAGE_DAYS, usageSpan } from "../../domain/usage-span.ts";
import { callerOf } from "../../edge/http/request-state.ts";
import { Problem } from "../../edge/http/problem.ts";
import { readUsage } from "../../edge/operations/retrieve-usage.ts";
import { findKeyNames } from "../../store/account-keys.ts";
import type { DashboardOperation, Schemas } from "../session/operation.ts";
import { presentKey } from "./charges.ts";

type Query = operations["listUsageGroups"]["parameters"]["query"];

export const listUsageGroups: DashboardOperation = (deps) => async (request) => {
  const { accountId } = callerOf(request);
  const { group_by: groupBy, ...days } = request.query as Query;
  const span = spanOf(deps.clock.now(), days);
  const { from, to } = span;
  const usage = await readUsage(deps, request, span, groupBy);
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

function nameOf({ model, keyId, endUser }: Usage, names: ReadonlyMap<string, string>) {
  return {
    ...(model && { model }),
    ...presentKey(keyId, names),
    ...(endUser && { end_user: endUser }),
  };
}

function spanOf(now: Date, days: Pick<Query, "from" | "to">) {
  const isPossible = [days.from, days.to].every(
    (day) => day === undefined || (day >= USAGE_DAYS.first && day <= USAGE_DAYS.last),
  );
  const span = isPossible ? usageSpan(now, days) : undefined;
  if (span) return span;
  throw new Problem("out_of_range", {
    message: `Choose a first day that is not after the last one, and at most ${MAX_USAGE_DAYS} days.`,
    param: "to",
  });
}
