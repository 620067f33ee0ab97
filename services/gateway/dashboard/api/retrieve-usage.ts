/** retrieveUsage: GET /accounts/{account_id}/usage. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { modeOf } from "#runtime/mode.ts";
import { lastDays, usageByDay } from "../../domain/usage.ts";
import { callerOf } from "../../http/request-state.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

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
