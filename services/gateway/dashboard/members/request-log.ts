/** The requests of an account's API keys, with the names of the keys, in pages and as a file. */
import {
  filterOf,
  pageOfRequests,
  type RequestFilterQuery,
} from "../../edge/operations/list-requests.ts";
import { presentPage } from "../../edge/presenters/page.ts";
import { presentRequest } from "../../edge/presenters/request.ts";
import { callerOf } from "../../edge/http/request-state.ts";
import { findKeyNames } from "../../store/account-keys.ts";
import { listRequests, type RequestPosition } from "../../store/request-log.ts";
import { sendCsv } from "../session/csv-download.ts";
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

const PAGE_SIZE = 500;
const COLUMNS = [
  "created_at",
  "request_id",
  "method",
  "path",
  "status",
  "error_code",
  "error_param",
  "generation_id",
  "key_id",
  "key_name",
  "duration_ms",
] as const;

export const downloadRequestLog: DashboardOperation =
  ({ sql }) =>
  async (request, reply) => {
    const owner = callerOf(request);
    const filter = filterOf(request.query as RequestFilterQuery);
    const fileName = `requests-${owner.mode}.csv`;
    return sendCsv(request, reply, fileName, COLUMNS, async (from?: RequestPosition) => {
      const found = await listRequests(sql, owner, filter, { from, limit: PAGE_SIZE });
      const ids = found.map(({ keyId }) => keyId);
      const names = await findKeyNames(sql, owner.accountId, ids);
      const rows = found.map((row) => ({
        ...presentRequest(row),
        key_name: names.get(row.keyId),
      }));
      return { rows, next: found[PAGE_SIZE - 1] };
    });
  };
