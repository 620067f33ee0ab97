/** createImageGeneration: POST /images/generations, which responds when the generation has ended. */
import { fromJson } from "@bufbuild/protobuf";
import type { JsonObject } from "@bufbuild/protobuf";
import { ImageInputSchema, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Generation } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { isErrorCode, publicGeneration } from "#runtime/public-generation.ts";
import { Problem } from "../problem.ts";
import { createResponse, generationIdentity } from "./create.ts";
import { required } from "./operation.ts";
import type { Operation } from "./operation.ts";

export const IMAGE_WAIT_SECONDS = 120;

export const createImageGeneration: Operation = (deps) => async (request, reply) => {
  const { model, ...fields } = request.body as JsonObject & { model: string };
  const identity = generationIdentity(deps, request, "createImageGeneration", "igen");
  request.generationId = identity.generationId;
  const input = fromJson(ImageInputSchema, fields);
  request.turn?.pause();
  const call = deps.generation.createImage({
    ...identity,
    model,
    input,
    waitSeconds: IMAGE_WAIT_SECONDS,
  });
  const generation = required((await createResponse(request, reply, call)).generation);
  switch (generation.status) {
    case Status.SUCCESS:
      return publicGeneration(generation, deps.assetBaseUrl());
    case Status.FAILED:
      throw failed(generation);
    default:
      throw generationError(generation, "generation_timeout");
  }
};

function failed(generation: Generation): Problem {
  const { code = "", message } = generation.error ?? {};
  return generationError(generation, isErrorCode(code) ? code : "internal", message);
}

function generationError({ id }: Generation, code: Problem["code"], message?: string): Problem {
  return new Problem(code, {
    type: "generation_error",
    details: { generation_id: id },
    ...(message ? { message } : {}),
  });
}
