/** createVideoGeneration: POST /videos/generations. */
import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { Kind, VideoInputSchema } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { publicGeneration } from "#vocabulary/public-generation.ts";
import { waitForCompletion } from "../waiting/prefer-wait.ts";
import { createResponse, generationIdentity } from "./create.ts";
import { required } from "../presenters/required.ts";
import type { Operation } from "./operation.ts";
import { getGeneration } from "./retrieve-generation.ts";

export const createVideoGeneration: Operation = (deps) => async (request, reply) => {
  const { model, ...fields } = request.body as JsonObject & { model: string };
  const identity = generationIdentity(deps, request, "createVideoGeneration", "vgen");
  const { generationId } = identity;
  request.generationId = generationId;
  const create = async () => {
    const call = deps.generation.createVideo({
      ...identity,
      model,
      input: fromJson(VideoInputSchema, fields),
    });
    return required((await createResponse(request, reply, call)).generation);
  };
  const again = () => getGeneration(deps, request, Kind.VIDEO, generationId);
  const generation = await waitForCompletion(deps, request, reply, {
    generationId,
    first: create,
    again,
  });
  void reply.code(202);
  return publicGeneration(generation, deps.assetBaseUrl());
};
