/** deleteVideoGeneration: DELETE /videos/generations/{id}. */
import { deleteGeneration } from "./delete-generation.ts";
import type { Operation } from "./operation.ts";
import { pathGenerationId } from "./retrieve-generation.ts";

export const deleteVideoGeneration: Operation = (deps) => async (request, reply) => {
  const generationId = pathGenerationId(deps, request, "VideoGenerationId");
  return deleteGeneration(deps, request, reply, generationId);
};
