/** Shared by the operations that delete a generation. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { Kind } from "#gen/proto/media/generation/v1/generation_pb.ts";
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
  const kind = generationId.startsWith("vgen_") ? Kind.VIDEO : Kind.IMAGE;
  await deps.generation.deleteGeneration({ accountId, mode: modeOf(mode), kind, generationId });
  deps.reads.forget(accountId, generationId);
  return reply.code(204).send();
}
