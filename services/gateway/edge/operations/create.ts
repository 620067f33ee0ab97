/** createVideoGeneration and createImageGeneration. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import {
  type Generation,
  VideoInputSchema,
  ImageInputSchema,
  Status,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { derivedId } from "#runtime/id.ts";
import { modeOf, kindOfId } from "#vocabulary/names.ts";
import {
  publicGeneration,
  type PublicImage,
  type PublicVideo,
  isErrorCode,
} from "#vocabulary/public-generation.ts";
import type { Deps } from "./deps.ts";
import { generationsPath, getGeneration } from "./generations.ts";
import {
  waitForCompletion,
  closedSignal,
  preferencesOf,
  waitForEnd,
} from "../waiting/prefer-wait.ts";
import { idempotencyKeyOf } from "../http/document-routes.ts";
import { callerOf } from "../http/request-state.ts";
import { Problem, toProblem } from "../http/problem.ts";
import { required, type Operation } from "./operation.ts";

/** Derived from account, mode, operation and Idempotency-Key; random without a key. */
export function createdId(
  { newId }: Pick<Deps, "newId">,
  request: FastifyRequest,
  operationId: string,
  prefix: "vgen" | "igen" | "file",
): string {
  const { accountId, mode } = callerOf(request);
  const key = idempotencyKeyOf(request);
  return key === undefined ? newId(prefix) : derivedId(prefix, [accountId, mode, operationId, key]);
}

/** A restricted caller may only replay: without an Idempotency-Key the create is refused here. */
export function generationIdentity(
  deps: Deps,
  request: FastifyRequest,
  operationId: string,
  prefix: "vgen" | "igen",
) {
  const { accountId, mode, restriction, maxUnfinished, keyId = "" } = callerOf(request);
  const mayExist = idempotencyKeyOf(request) !== undefined;
  if (restriction !== undefined && !mayExist) throw new Problem(restriction);
  const generationId = createdId(deps, request, operationId, prefix);
  const replayOnly = restriction !== undefined;
  const account = { accountId, mode: modeOf(mode), maxUnfinished, keyId };
  return { ...account, generationId, replayOnly, mayExist };
}

/** Refusals of a create that leave it open whether there is, or was, a generation with its id. */
const OF_EXISTING = new Set<ErrorReason | undefined>([
  undefined,
  ErrorReason.UNAVAILABLE,
  ErrorReason.CONTENT_DIFFERS,
  ErrorReason.GENERATION_DELETED,
]);

/** The response of a create RPC. A restricted caller gets its restriction when there is nothing to replay. */
export async function createResponse<T extends { replayed: boolean }>(
  request: FastifyRequest,
  reply: FastifyReply,
  call: Promise<T>,
): Promise<T> {
  const { restriction } = callerOf(request);
  try {
    const response = await call;
    if (response.replayed) void reply.header("Idempotent-Replayed", "true");
    return response;
  } catch (error) {
    const reason = reasonOf(error);
    if (!OF_EXISTING.has(reason)) request.generationId = undefined;
    const isAbsent = reason === ErrorReason.NOT_FOUND;
    if (restriction !== undefined && isAbsent) throw new Problem(restriction);
    throw withGenerationId(request, error);
  }
}

/** A create that was cut off may have been accepted, and its generation is found by its id. */
export function withGenerationId({ generationId }: FastifyRequest, error: unknown): unknown {
  const { code, options } = toProblem(error);
  if (code !== "unavailable" || generationId === undefined) return error;
  return new Problem(code, {
    ...options,
    details: { ...options.details, generation_id: generationId },
  });
}

/** Says where the generation is retrieved. */
export function locate(deps: Deps, reply: FastifyReply, generationId: string): void {
  void reply.header("Location", `${generationsPath(deps, kindOfId(generationId))}/${generationId}`);
}

/** The generation that `create` makes or finds, held back where the client prefers to wait. */
export async function acceptGeneration(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  generationId: string,
  create: () => Promise<{ generation?: Generation | undefined; replayed: boolean }>,
): Promise<PublicVideo | PublicImage> {
  const generation = await waitForCompletion(deps, request, reply, {
    generationId,
    first: async () => required((await createResponse(request, reply, create())).generation),
    again: () => getGeneration(deps, request, generationId),
  });
  locate(deps, reply, generationId);
  return publicGeneration(generation, deps.assetBaseUrl());
}

export const createVideoGeneration: Operation = (deps) => async (request, reply) => {
  const { model, ...fields } = request.body as JsonObject & { model: string };
  const identity = generationIdentity(deps, request, "createVideoGeneration", "vgen");
  request.generationId = identity.generationId;
  return acceptGeneration(deps, request, reply, identity.generationId, () =>
    deps.generation.createVideo({ ...identity, model, input: fromJson(VideoInputSchema, fields) }),
  );
};

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
    void reply.code(202);
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
    again: () => getGeneration(deps, request, generationId),
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
