/** retrieveVideoGeneration: GET /videos/generations/{id}. */
import { Kind } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Operation } from "./operation.ts";
import { retrieveGeneration } from "./retrieve-generation.ts";

export const retrieveVideoGeneration: Operation = (deps) => (request) =>
  retrieveGeneration(deps, request, Kind.VIDEO, "VideoGenerationId");
