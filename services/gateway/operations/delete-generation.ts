/** Shared by the operations that delete a generation. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { kindOfId } from "#runtime/kind.ts";
import { modeOf } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { callerOf } from "../http/request-state.ts";

/** Answers 204 once the deletion is recorded; the content is deleted right after that. */
export async function deleteGeneration(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  generationId: string,
): Promise<FastifyReply> {
  const { accountId, mode } = callerOf(request);
  const kind = kindOfId(generationId);
  await deps.generation.deleteGeneration({ accountId, mode: modeOf(mode), kind, generationId });
  deps.reads.forget(accountId, generationId);
  return reply.code(204).send();
}
