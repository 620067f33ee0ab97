/** deleteVideoGeneration and deleteImageGeneration. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { kindOfId } from "#vocabulary/kind.ts";
import { modeOf } from "#vocabulary/mode.ts";
import type { Deps } from "./deps.ts";
import { callerOf } from "../http/request-state.ts";
import type { Operation } from "./operation.ts";
import { pathGenerationId } from "./retrieve-generation.ts";

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
  return reply.code(204).send();
}

/** deleteImageGeneration: DELETE /images/generations/{id}. */
export const deleteImageGeneration: Operation = (deps) => async (request, reply) => {
  const generationId = pathGenerationId(deps, request, "ImageGenerationId");
  return deleteGeneration(deps, request, reply, generationId);
};

/** deleteVideoGeneration: DELETE /videos/generations/{id}. */
export const deleteVideoGeneration: Operation = (deps) => async (request, reply) => {
  const generationId = pathGenerationId(deps, request, "VideoGenerationId");
  return deleteGeneration(deps, request, reply, generationId);
};
