/** What all lists share: the page that is asked for, and the page as it is answered. */
import type { FastifyRequest } from "fastify";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { faultsOf } from "#runtime/rpc/errors.ts";
import { modeOf } from "#runtime/mode.ts";
import { callerOf } from "../http/request-state.ts";
import { Problem } from "../problem.ts";

const DEFAULT_LIMIT = 20;

/** Whose list it is and where its page begins, as the RPCs take it. The document has checked the form of it all. */
export function pageAsked(request: FastifyRequest) {
  const { accountId, mode } = callerOf(request);
  const { limit = DEFAULT_LIMIT, after } = request.query as { limit?: number; after?: string };
  return { accountId, mode: modeOf(mode), limit, ...(after === undefined ? {} : { after }) };
}

/** The answer of a list's RPC; an `after` that the list does not have is the client's fault. */
export async function listed<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const [fault] = faultsOf(error);
    if (fault?.reason !== ErrorReason.NOT_FOUND || fault.field !== "after") throw error;
    throw new Problem("invalid_value", {
      message: "after is not an id of this list. Send the last id of the page before.",
      param: "after",
    });
  }
}

/** The public body of a page. */
export function publicPage<T>(data: T[], hasMore: boolean) {
  return { object: "list", data, has_more: hasMore } as const;
}
