/** listKeyUsage: GET /accounts/{account_id}/usage/keys. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { UsageGroup } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { modeOf } from "#runtime/mode.ts";
import { monthOf } from "../../domain/month.ts";
import { callerOf } from "../../http/request-state.ts";
import { presentWholeList } from "../../presenters/page.ts";
import { findKeyNames } from "../../store/account-keys.ts";
import { presentKey } from "../charges.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

/** The most used key first. Keys that have only reserved Tokens so far are left out. */
export const listKeyUsage: DashboardOperation = (deps) => async (request) => {
  const { accountId, mode } = callerOf(request);
  const { month } = request.query as { month: string };
  const { from, to } = monthOf(month);
  const { usage } = await deps.generation.getUsage({
    accountId,
    mode: modeOf(mode),
    from: timestampFromDate(from),
    to: timestampFromDate(to),
    groupBy: UsageGroup.KEY,
  });
  const charged = usage.filter(({ generations }) => generations > 0n);
  const ids = charged.map(({ keyId }) => keyId);
  const names = await findKeyNames(deps.sql, accountId, ids);
  const rows = charged
    .map(({ keyId, tokens, generations }) => ({
      ...presentKey(keyId, names),
      tokens: Number(tokens),
      generations: Number(generations),
    }))
    .toSorted((a, b) => b.tokens - a.tokens);
  return presentWholeList(rows) satisfies Schemas["KeyUsageList"];
};
