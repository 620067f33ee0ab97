/** createVideoGeneration and createImageGeneration. */
import type { FastifyRequest } from "fastify";
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
import { modeOf } from "#vocabulary/names.ts";
import { publicGeneration, isErrorCode } from "#vocabulary/public-generation.ts";
import type { Deps } from "./deps.ts";
import { generationPath, getGeneration } from "./generations.ts";
import { waitForCompletion, preferencesOf, waitForEnd } from "../waiting/prefer-wait.ts";
import { idempotencyKeyOf } from "../http/document-routes.ts";
import { callerOf, type Call } from "../http/request-state.ts";
import { Problem, toProblem } from "../http/problem.ts";
import { required, type Operation } from "./operation.ts";

type Prefix = "vgen" | "igen";

/** Derived from account, mode, operation and Idempotency-Key; random without a key. */
export function createdId(
  { deps, request }: Call<Deps>,
  operationId: string,
  prefix: Prefix | "file",
) {
  const { accountId, mode } = callerOf(request);
  const key = idempotencyKeyOf(request);
  if (key === undefined) return deps.newId(prefix);
  return derivedId(prefix, [accountId, mode, operationId, key]);
}

/** What the create RPCs take. A restricted caller may only replay: without an Idempotency-Key it is refused here. */
function createdBy(call: Call<Deps>, operationId: string, prefix: Prefix) {
  const { request } = call;
  const { accountId, mode, restriction, maxUnfinished, keyId = "" } = callerOf(request);
  const mayExist = idempotencyKeyOf(request) !== undefined;
  const replayOnly = restriction !== undefined;
  if (replayOnly && !mayExist) throw new Problem(restriction);
  const generationId = createdId(call, operationId, prefix);
  request.generationId = generationId;
  const { model, ...fields } = request.body as JsonObject & { model: string };
  const account = { accountId, mode: modeOf(mode), maxUnfinished, keyId };
  return { identity: { ...account, generationId, replayOnly, mayExist, model }, fields };
}

/** Refusals of a create that leave it open whether there is, or was, a generation with its id. */
const OF_EXISTING = new Set<ErrorReason | undefined>([
  undefined,
  ErrorReason.UNAVAILABLE,
  ErrorReason.CONTENT_DIFFERS,
  ErrorReason.GENERATION_DELETED,
]);

/** How the generation is made or found, and read again. A restricted caller gets its restriction when there is none. */
function readsOf(
  call: Call<Deps>,
  generationId: string,
  create: () => Promise<{ generation?: Generation | undefined; replayed: boolean }>,
) {
  const { request, reply } = call;
  const first = async () => {
    const { generation, replayed } = await create().catch((error: unknown) => {
      const { restriction } = callerOf(request);
      const reason = reasonOf(error);
      if (!OF_EXISTING.has(reason)) request.generationId = undefined;
      const isAbsent = reason === ErrorReason.NOT_FOUND;
      throw restriction !== undefined && isAbsent
        ? new Problem(restriction)
        : withGenerationId(request, error);
    });
    if (replayed) void reply.header("Idempotent-Replayed", "true");
    return required(generation);
  };
  return { generationId, first, again: () => getGeneration(call, generationId) };
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

/** The generation as an answer, which says where it is retrieved. */
function located({ deps, reply }: Call<Deps>, generation: Generation) {
  void reply.header("Location", generationPath(deps, generation.id));
  return publicGeneration(generation, deps.assetBaseUrl());
}

export const createVideoGeneration: Operation = async (call) => {
  const { identity, fields } = createdBy(call, "createVideoGeneration", "vgen");
  const input = fromJson(VideoInputSchema, fields);
  const reads = readsOf(call, identity.generationId, () =>
    call.deps.generation.createVideo({ ...identity, input }),
  );
  return located(call, await waitForCompletion(call, reads));
};

export const IMAGE_WAIT_SECONDS = 120;
const APPLIED = "Preference-Applied";

export const createImageGeneration: Operation = async (call) => {
  const { deps, request, reply } = call;
  const { respondAsync, waitSeconds } = preferencesOf(request);
  const { identity, fields } = createdBy(call, "createImageGeneration", "igen");
  const input = fromJson(ImageInputSchema, fields);
  const asynchronous = respondAsync || waitSeconds !== undefined;
  const reads = readsOf(call, identity.generationId, () =>
    deps.generation.createImage({ ...identity, input, asynchronous }),
  );
  if (asynchronous) {
    const generation = await waitForCompletion(call, reads);
    const applied = [respondAsync ? "respond-async" : [], reply.getHeader(APPLIED) ?? []].flat();
    if (applied.length > 0) void reply.header(APPLIED, applied.join(", "));
    void reply.code(202);
    return located(call, generation);
  }
  const wait = { ...reads, seconds: deps.imageWaitSeconds, always: true };
  const generation = await waitForEnd(call, wait).catch((error: unknown) => {
    throw withGenerationId(request, error);
  });
  switch (generation.status) {
    case Status.SUCCESS:
      return located(call, generation);
    case Status.FAILED: {
      const { code = "", message } = generation.error ?? {};
      throw generationError(generation.id, isErrorCode(code) ? code : "internal", message);
    }
    case Status.CANCELED:
      throw generationError(generation.id, "canceled");
    default:
      throw generationError(generation.id, "generation_timeout");
  }
};

function generationError(generationId: string, code: Problem["code"], message?: string): Problem {
  return new Problem(code, {
    type: "generation_error",
    details: { generation_id: generationId },
    ...(message ? { message } : {}),
  });
}
