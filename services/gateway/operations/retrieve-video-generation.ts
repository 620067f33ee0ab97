/** retrieveVideoGeneration: GET /videos/generations/{id}. */
import { Kind } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { publicGeneration } from "#runtime/public-generation.ts";
import { held } from "../waiting/prefer.ts";
import type { Operation } from "./operation.ts";
import { generationIdIn, getGeneration } from "./retrieve-generation.ts";

export const retrieveVideoGeneration: Operation = (deps) => async (request, reply) => {
  const generationId = generationIdIn(deps, request, "VideoGenerationId");
  const read = () => getGeneration(deps, request, Kind.VIDEO, generationId);
  const generation = await held(deps, request, reply, { generationId, first: read, again: read });
  return publicGeneration(generation, deps.assetBaseUrl());
};
