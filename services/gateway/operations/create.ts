/** What both creates share: the generation's id, and a caller that may only repeat. */
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { derivedId } from "#runtime/id.ts";
import { modeOf } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { idempotencyKeyOf } from "../http/operation-checks.ts";
import { callerOf } from "../http/request-state.ts";
import { Problem } from "../problem.ts";

/** Generation waits up to 20 s for another call with the same key, and up to 5 s for the reservation. */
export const CREATE_TIMEOUT_MS = 30_000;

/** Whose generation it is, what its account may have, and its id: the same for the same key of the account, mode and operation. */
export function newGeneration(
  deps: Deps,
  request: FastifyRequest,
  operationId: string,
  prefix: "vgen" | "igen",
) {
  const { accountId, mode, bar, maxUnfinished } = callerOf(request);
  const key = idempotencyKeyOf(request);
  if (bar !== undefined && key === undefined) throw new Problem(bar);
  const generationId =
    key === undefined ? deps.newId(prefix) : derivedId(prefix, [accountId, mode, operationId, key]);
  const replayOnly = bar !== undefined;
  return { accountId, mode: modeOf(mode), generationId, replayOnly, maxUnfinished };
}

/** The answer of a create; a caller that may not create hears why where there is nothing to repeat. */
export async function created<T extends { replayed: boolean }>(
  request: FastifyRequest,
  reply: FastifyReply,
  call: Promise<T>,
): Promise<T> {
  const { bar } = callerOf(request);
  try {
    const answer = await call;
    if (answer.replayed) void reply.header("Idempotent-Replayed", "true");
    return answer;
  } catch (error) {
    if (bar !== undefined && reasonOf(error) === ErrorReason.NOT_FOUND) throw new Problem(bar);
    throw error;
  }
}
