/** retrieveImageGeneration: GET /images/generations/{id}. */
import { Kind } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Operation } from "./operation.ts";
import { answerGeneration, getGeneration, pathGenerationId } from "./retrieve-generation.ts";

export const retrieveImageGeneration: Operation = (deps) => async (request, reply) => {
  const generationId = pathGenerationId(deps, request, "ImageGenerationId");
  return answerGeneration(deps, request, reply, () =>
    getGeneration(deps, request, Kind.IMAGE, generationId),
  );
};
