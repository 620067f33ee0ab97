/** The requests of an account's API keys, with the names of the keys, in pages. */
import { pageOfRequests } from "../../edge/operations/list-requests.ts";
import { presentPage } from "../../edge/presenters/page.ts";
import { callerOf } from "../../edge/http/request-state.ts";
import { findKeyNames } from "../../store/account-keys.ts";
import type { DashboardOperation, Schemas } from "../session/operation.ts";

export const listRequestLog: DashboardOperation = (deps) => async (request) => {
  const { data, has_more: hasMore } = await pageOfRequests(deps, request);
  const ids = data.map(({ key_id: keyId }) => keyId);
  const names = await findKeyNames(deps.sql, callerOf(request).accountId, ids);
  const entries = data.map((one) => {
    const name = names.get(one.key_id);
    return { request: one, ...(name ? { key_name: name } : {}) };
  });
  return presentPage(entries, hasMore) satisfies Schemas["RequestLog"];
};
