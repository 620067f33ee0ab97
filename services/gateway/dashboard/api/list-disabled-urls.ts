/** listDisabledUrls: GET /accounts/{account_id}/webhooks/disabled-urls. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { modeOf } from "#runtime/mode.ts";
import { callerOf } from "../../http/request-state.ts";
import { READ_TIMEOUT_MS, answered, callFor } from "../../operations/operation.ts";
import { onePage } from "./operation.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

const MOST = 100;

export const listDisabledUrls: DashboardOperation = (deps) => async (request) => {
  const { accountId, mode } = callerOf(request);
  const { urls } = await deps.delivery.listDisabledUrls(
    { accountId, mode: modeOf(mode), limit: MOST },
    callFor(request, READ_TIMEOUT_MS),
  );
  const shown = urls.map(({ url, disabledAt }) => ({
    url,
    disabled_at: timestampDate(answered(disabledAt)).toISOString(),
  }));
  return onePage(shown) satisfies Schemas["DisabledUrlList"];
};
