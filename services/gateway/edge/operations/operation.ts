/** What the operations share: admission, the ids of paths, and lists. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { faultsOf } from "#runtime/rpc/errors.ts";
import { modeOf } from "#vocabulary/names.ts";
import type { Deps } from "./deps.ts";
import { boundOf } from "../../domain/time.ts";
import { callerOf } from "../http/request-state.ts";
import { Problem } from "../http/problem.ts";
import { authenticate } from "../http/authenticate.ts";
import { requestLimiter } from "../rate-limit/limit-request.ts";

/** Handles a request that is valid under the document; errors are thrown as problems. */
export type Operation = (
  deps: Deps,
) => (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** The `id` in the path, decoded. */
export function pathId(request: FastifyRequest): string {
  return (request.params as { id: string }).id;
}

/** Why `id` is none of a `noun`; undefined if it may be one. `idSchema` is the name of a schema of the document. */
export function idFault(
  { contract }: Pick<Deps, "contract">,
  id: string,
  noun: string,
  idSchema: string,
): string | undefined {
  const schema = contract.document.components.schemas[idSchema];
  const { pattern, examples } = schema as { pattern: string; examples: [string] };
  if (new RegExp(pattern).test(id)) return undefined;
  return `This is no id of a ${noun}: one looks like ${examples[0]}. Check the id.`;
}

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

/** Sets the caller. Returns the problem of a request over the limit, for the caller to throw after what takes precedence. */
export type Admit = (request: FastifyRequest, reply: FastifyReply) => Promise<Problem | undefined>;

export function admitByKey(deps: Deps): Admit {
  const limitRequest = requestLimiter(deps);
  return async (request, reply) => {
    await authenticate(deps, request);
    return limitRequest(request, reply);
  };
}
