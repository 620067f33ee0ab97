/** retrieveImageGeneration: GET /images/generations/{id}. */
import { Kind } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { publicGeneration } from "#runtime/public-generation.ts";
import type { Operation } from "./operation.ts";
import { pathGenerationId, getGeneration } from "./retrieve-generation.ts";

export const retrieveImageGeneration: Operation = (deps) => async (request) => {
  const generationId = pathGenerationId(deps, request, "ImageGenerationId");
  const generation = await getGeneration(deps, request, Kind.IMAGE, generationId);
  return publicGeneration(generation, deps.assetBaseUrl());
};
