/** deleteVideoGeneration and deleteImageGeneration. */
import type { FastifyRequest } from "fastify";
import { kindOfId } from "#vocabulary/kind.ts";
import { modeOf } from "#vocabulary/mode.ts";
import type { Deps } from "./deps.ts";
import { callerOf } from "../http/request-state.ts";
import type { Operation } from "./operation.ts";
import { pathGenerationId } from "./retrieve-generation.ts";

/** Returns once the deletion is recorded; the content is deleted right after that. */
export async function deleteGeneration(
  deps: Deps,
  request: FastifyRequest,
  generationId: string,
): Promise<void> {
  const { accountId, mode } = callerOf(request);
  const kind = kindOfId(generationId);
  await deps.generation.deleteGeneration({ accountId, mode: modeOf(mode), kind, generationId });
}

export const deleteImageGeneration: Operation = (deps) => async (request, reply) => {
  const generationId = pathGenerationId(deps, request, "ImageGenerationId");
  await deleteGeneration(deps, request, generationId);
  return reply.code(204).send();
};

export const deleteVideoGeneration: Operation = (deps) => async (request, reply) => {
  const generationId = pathGenerationId(deps, request, "VideoGenerationId");
  await deleteGeneration(deps, request, generationId);
  return reply.code(204).send();
};
