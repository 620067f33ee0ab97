/** createVideoGeneration: POST /videos/generations. */
import { fromJson } from "@bufbuild/protobuf";
import type { JsonObject } from "@bufbuild/protobuf";
import { VideoInputSchema } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { publicGeneration } from "#runtime/public/generation.ts";
import { CREATE_TIMEOUT_MS, created, newGeneration } from "./create.ts";
import { answered, callFor } from "./operation.ts";
import type { Operation } from "./operation.ts";

export const createVideoGeneration: Operation = (deps) => async (request, reply) => {
  const { model, ...fields } = request.body as JsonObject & { model: string };
  const identity = newGeneration(deps, request, "createVideoGeneration", "vgen");
  request.generationId = identity.generationId;
  const call = deps.generation.createVideo(
    { ...identity, model, input: fromJson(VideoInputSchema, fields) },
    callFor(request, CREATE_TIMEOUT_MS),
  );
  const { generation } = await created(request, reply, call);
  void reply.code(202);
  return publicGeneration(answered(generation), deps.assetBaseUrl());
};
