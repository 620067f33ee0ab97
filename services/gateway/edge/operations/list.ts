/** Shared by all lists: the parameters of a page, and the error for an unknown cursor. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { FastifyRequest } from "fastify";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { faultsOf } from "#runtime/rpc/errors.ts";
import { modeOf } from "#vocabulary/mode.ts";
import { boundOf } from "../../domain/time.ts";
import { callerOf } from "../http/request-state.ts";
import { Problem } from "../http/problem.ts";

/** The caller and the page as fields of the RPCs. The document's checks have validated them and set the default. */
export function pageParams(request: FastifyRequest) {
  const { accountId, mode } = callerOf(request);
  const { limit, after } = request.query as { limit: number; after?: string };
  return { accountId, mode: modeOf(mode), limit, after };
}

type Times = { created_after?: string | undefined; created_before?: string | undefined };

/** The times between which a list's entries were created, as fields of the RPCs. */
export function spanOf({ created_after: after, created_before: before }: Times) {
  return {
    ...(after === undefined ? {} : { createdAfter: timestampFromDate(boundOf(after)) }),
    ...(before === undefined ? {} : { createdBefore: timestampFromDate(boundOf(before, 1)) }),
  };
}

/** The response of a list RPC; 400 for an `after` that is not in the list. */
export async function readPage<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const [fault] = faultsOf(error);
    if (fault?.reason !== ErrorReason.NOT_FOUND || fault.field !== "after") throw error;
    throw notInList();
  }
}

/** The problem of an `after` that is not in the list. */
export function notInList(): Problem {
  return new Problem("invalid_value", {
    message: "after is not an id of this list. Send the last id of the page before.",
    param: "after",
  });
}
