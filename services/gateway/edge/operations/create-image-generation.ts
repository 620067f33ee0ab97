/** createImageGeneration: POST /images/generations, which responds when the generation has ended, or before if asked to. */
import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import {
  ImageInputSchema,
  Kind,
  Status,
  type Generation,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import { isErrorCode, publicGeneration } from "#vocabulary/public-generation.ts";
import { Problem } from "../http/problem.ts";
import { closedSignal, preferencesOf, waitForEnd } from "../waiting/prefer-wait.ts";
import {
  acceptGeneration,
  createResponse,
  generationIdentity,
  locate,
  withGenerationId,
} from "./create.ts";
import { required } from "../presenters/required.ts";
import { getGeneration } from "./retrieve-generation.ts";
import type { Operation } from "./operation.ts";

export const IMAGE_WAIT_SECONDS = 120;
const APPLIED = "Preference-Applied";

export const createImageGeneration: Operation = (deps) => async (request, reply) => {
  const { model, ...fields } = request.body as JsonObject & { model: string };
  const { respondAsync, waitSeconds } = preferencesOf(request);
  const identity = generationIdentity(deps, request, "createImageGeneration", "igen");
  request.generationId = identity.generationId;
  const create = { ...identity, model, input: fromJson(ImageInputSchema, fields) };
  if (respondAsync || waitSeconds !== undefined) {
    const accepted = await acceptGeneration(deps, request, reply, identity.generationId, () =>
      deps.generation.createImage({ ...create, asynchronous: true }),
    );
    const applied = [respondAsync ? "respond-async" : [], reply.getHeader(APPLIED) ?? []].flat();
    if (applied.length > 0) void reply.header(APPLIED, applied.join(", "));
    return accepted;
  }
  const { generationId } = identity;
  const generation = await waitForEnd(deps, request, {
    generationId,
    seconds: deps.imageWaitSeconds,
    always: true,
    signal: closedSignal(reply),
    first: async () => {
      const call = deps.generation.createImage(create);
      return required((await createResponse(request, reply, call)).generation);
    },
    again: () => getGeneration(deps, request, Kind.IMAGE, generationId),
    onFirst: () => request.turn?.pause(),
  }).catch((error: unknown) => {
    throw withGenerationId(request, error);
  });
  switch (generation.status) {
    case Status.SUCCESS:
      locate(deps, reply, generation.id);
      return publicGeneration(generation, deps.assetBaseUrl());
    case Status.FAILED:
      throw failed(generation);
    case Status.CANCELED:
      throw generationError(generation.id, "canceled");
    default:
      throw generationError(generation.id, "generation_timeout");
  }
};

function failed(generation: Generation): Problem {
  const { code = "", message } = generation.error ?? {};
  return generationError(generation.id, isErrorCode(code) ? code : "internal", message);
}

function generationError(generationId: string, code: Problem["code"], message?: string): Problem {
  return new Problem(code, {
    type: "generation_error",
    details: { generation_id: generationId },
    ...(message ? { message } : {}),
  });
}
