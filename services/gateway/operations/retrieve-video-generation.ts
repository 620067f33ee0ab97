/** retrieveVideoGeneration: GET /videos/generations/{id}. */
import { Kind } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { publicGeneration } from "#runtime/public-generation.ts";
import { waitForCompletion } from "../waiting/prefer-wait.ts";
import type { Operation } from "./operation.ts";
import { answerGeneration, getGeneration, pathGenerationId } from "./retrieve-generation.ts";

export const retrieveVideoGeneration: Operation = (deps) => async (request, reply) => {
  const generationId = pathGenerationId(deps, request, "VideoGenerationId");
  const read = () => getGeneration(deps, request, Kind.VIDEO, generationId);
  if (request.headers["prefer"] === undefined) return answerGeneration(deps, request, reply, read);
  const generation = await waitForCompletion(deps, request, reply, {
    generationId,
    first: read,
    again: read,
  });
  return publicGeneration(generation, deps.assetBaseUrl());
};
