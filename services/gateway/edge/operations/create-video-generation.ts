/** createVideoGeneration: POST /videos/generations. */
import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { VideoInputSchema } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { acceptGeneration, generationIdentity } from "./create.ts";
import type { Operation } from "./operation.ts";

export const createVideoGeneration: Operation = (deps) => async (request, reply) => {
  const { model, ...fields } = request.body as JsonObject & { model: string };
  const identity = generationIdentity(deps, request, "createVideoGeneration", "vgen");
  request.generationId = identity.generationId;
  return acceptGeneration(deps, request, reply, identity.generationId, () =>
    deps.generation.createVideo({ ...identity, model, input: fromJson(VideoInputSchema, fields) }),
  );
};
