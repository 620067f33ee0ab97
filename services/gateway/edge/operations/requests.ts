/** Operations on the request log. */
import type { components, operations } from "#gen/openapi/media.ts";
import { numbersOf, numberedId } from "#runtime/id.ts";
import { boundsOf } from "../../domain/time.ts";
import * as store from "../../store/store.ts";
import { callerOf, type Call } from "../http/request-state.ts";
import type { Deps } from "./deps.ts";
import { notInList, type Operation, presentPage, publicOf } from "./operation.ts";

type Query = NonNullable<operations["listRequests"]["parameters"]["query"]> & { limit: number };

/** What Postgres keeps of a position in the list: no request has one beyond. */
const [LATEST_MS, MAX_NUMBER] = [Date.UTC(9999, 11, 31), 2n ** 63n - 1n];

export async function pageOfRequests({ deps: { sql }, request }: Call<Deps>) {
  const owner = callerOf(request);
  const { after, limit, status, method, path, ...query } = request.query as Query;
  const from = after === undefined ? undefined : await positionOf(sql, owner, after);
  const filter = {
    requestId: query.request_id,
    keyId: query.key_id,
    generationId: query.generation_id,
    status: status === undefined ? undefined : statusRange(status),
    method,
    paths: path === undefined ? undefined : [path, path.replaceAll(IDS, "{id}")],
    ...boundsOf(query),
  };
  const rows = await store.listRequests(sql, owner, filter, { from, limit: limit + 1 });
  return presentPage(rows.slice(0, limit).map(presentRequest), rows.length > limit);
}

/** The log has `{id}` in their place, except in a path that the service does not have. */
const IDS = /(?<=\/)[a-z]+_[0-9a-z]{26}(?=\/|$)/g;

/** The position that an id has in it, where the account and mode have such a request. */
async function positionOf(sql: Deps["sql"], owner: store.RequestOwner, id: string) {
  const { atMs, number } = numbersOf(id);
  const position = { at: new Date(atMs), seq: number };
  const isStorable = atMs <= LATEST_MS && number <= MAX_NUMBER;
  if (isStorable && (await store.hasRequest(sql, owner, position))) return position;
  throw notInList();
}

/** `404` is one status, `4xx` a class. */
function statusRange(status: string): { from: number; to: number } {
  return { from: Number(status.replace("xx", "00")), to: Number(status.replace("xx", "99")) };
}

export const listRequests: Operation = async (call) => pageOfRequests(call);

function presentRequest(row: store.RequestRow): components["schemas"]["ApiRequest"] {
  return {
    ...publicOf(row),
    id: numberedId("log", row.at.getTime(), row.seq),
    object: "request",
    created_at: row.at.toISOString(),
  };
}
