/** listDisabledUrls: GET /accounts/{account_id}/webhooks/disabled-urls. */
import { modeOf } from "#runtime/mode.ts";
import { publicTime } from "#runtime/public-time.ts";
import { callerOf } from "../../http/request-state.ts";
import { required } from "../../operations/operation.ts";
import { presentWholeList } from "../../presenters/page.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

const MAX_URLS = 100;

export const listDisabledUrls: DashboardOperation = (deps) => async (request) => {
  const { accountId, mode } = callerOf(request);
  const { urls } = await deps.delivery.listDisabledUrls({
    accountId,
    mode: modeOf(mode),
    limit: MAX_URLS,
  });
  const disabledUrls = urls.map(({ url, disabledAt }) => ({
    url,
    disabled_at: publicTime(required(disabledAt)),
  }));
  return presentWholeList(disabledUrls) satisfies Schemas["DisabledUrlList"];
};
