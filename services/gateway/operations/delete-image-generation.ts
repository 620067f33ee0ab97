/** deleteImageGeneration: DELETE /images/generations/{id}. */
import { deleteGeneration } from "./delete-generation.ts";
import type { Operation } from "./operation.ts";
import { pathGenerationId } from "./retrieve-generation.ts";

export const deleteImageGeneration: Operation = (deps) => async (request, reply) => {
  const generationId = pathGenerationId(deps, request, "ImageGenerationId");
  return deleteGeneration(deps, request, reply, generationId);
};
