/** Presents a request of the request log. */
import type { components } from "#gen/openapi/media.ts";
import { numberedId } from "#runtime/id.ts";
import type { RequestRow } from "../../store/request-log.ts";

export function presentRequest(row: RequestRow): components["schemas"]["ApiRequest"] {
  const { at, seq, errorCode, errorParam, generationId } = row;
  return {
    id: numberedId("log", at.getTime(), seq),
    object: "request",
    request_id: row.requestId,
    mode: row.mode,
    key_id: row.keyId,
    method: row.method,
    path: row.path,
    status: row.status,
    ...(errorCode === null ? {} : { error_code: errorCode }),
    ...(errorParam === null ? {} : { error_param: errorParam }),
    ...(generationId === null ? {} : { generation_id: generationId }),
    duration_ms: row.durationMs,
    created_at: at.toISOString(),
  };
}
