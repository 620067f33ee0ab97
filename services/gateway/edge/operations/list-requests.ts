/** listRequests: GET /requests. */
import type { FastifyRequest } from "fastify";
import type { components, operations } from "#gen/openapi/media.ts";
import { numbersOf } from "#runtime/id.ts";
import { boundOf } from "../../domain/time.ts";
import { listRequests as listRows, type RequestPosition } from "../../store/request-log.ts";
import { callerOf } from "../http/request-state.ts";
import { presentPage } from "../presenters/page.ts";
import { presentRequest } from "../presenters/request.ts";
import type { Deps } from "./deps.ts";
import type { Operation } from "./operation.ts";

type Query = NonNullable<operations["listRequests"]["parameters"]["query"]> & { limit: number };

/** What Postgres keeps of a position in the list: no request has one beyond. */
const [LATEST_MS, MAX_NUMBER] = [Date.UTC(9999, 11, 31), 2n ** 63n - 1n];

/** One page of the requests of the caller's account and mode, with the query's filters. */
export async function pageOfRequests({ sql }: Pick<Deps, "sql">, request: FastifyRequest) {
  const owner = callerOf(request);
  const { after, limit, ...filters } = request.query as Query;
  const from = after === undefined ? undefined : positionOf(after);
  const filter = {
    requestId: filters.request_id,
    keyId: filters.key_id,
    generationId: filters.generation_id,
    status: filters.status === undefined ? undefined : statusRange(filters.status),
    after: filters.created_after === undefined ? undefined : boundOf(filters.created_after),
    before: filters.created_before === undefined ? undefined : boundOf(filters.created_before, 1),
  };
  const rows = await listRows(sql, owner, filter, { from, limit: limit + 1 });
  return presentPage(rows.slice(0, limit).map(presentRequest), rows.length > limit);
}

/** The position of a request, also of one that is not kept any more. */
function positionOf(id: string): RequestPosition {
  const { atMs, number } = numbersOf(id);
  return {
    at: new Date(Math.min(atMs, LATEST_MS)),
    seq: number > MAX_NUMBER ? MAX_NUMBER : number,
  };
}

/** `404` is one status, `4xx` a class. */
function statusRange(status: string): { from: number; to: number } {
  return { from: Number(status.replace("xx", "00")), to: Number(status.replace("xx", "99")) };
}

/** listRequests: GET /requests. */
export const listRequests: Operation = (deps) => async (request) =>
  (await pageOfRequests(deps, request)) satisfies components["schemas"]["ApiRequestList"];
