/** Operations on balances and usage. */
import { modeOf } from "#vocabulary/mode.ts";
import { required } from "../../edge/presenters/required.ts";
import { presentBalance } from "../../edge/presenters/balance.ts";
import { presentWholeList } from "../../edge/presenters/page.ts";
import { membershipOf } from "../session/request-state.ts";
import type { DashboardOperation, Schemas } from "../session/operation.ts";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { lastDays, usageByDay } from "../../domain/usage.ts";
import { callerOf } from "../../edge/http/request-state.ts";

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

export const retrieveUsage: DashboardOperation = (deps) => async (request) => {
  const { accountId, mode } = callerOf(request);
  const { days: count } = request.query as { days: number };
  const days = lastDays(deps.clock.now(), count);
  const { usage } = await deps.generation.getUsage({
    accountId,
    mode: modeOf(mode),
    from: timestampFromDate(days.from),
    to: timestampFromDate(days.to),
  });
  const byDay = usageByDay(days.dates, usage);
  const models = byDay.flatMap((day) => day.models);
  return {
    object: "usage",
    mode,
    tokens: models.reduce((sum, { tokens }) => sum + tokens, 0),
    generations: models.reduce((sum, { generations }) => sum + generations, 0),
    days: byDay,
  } satisfies Schemas["Usage"];
};
