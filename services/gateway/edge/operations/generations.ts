/** Operations on generations that exist: list, retrieve, cancel and delete. */
import type { FastifyRequest } from "fastify";
import type { operations } from "#gen/openapi/media.ts";
import { Kind, type Generation } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { generationStatusOf, kindName, kindOfId } from "#vocabulary/names.ts";
import { publicGeneration } from "#vocabulary/public-generation.ts";
import { isGenerationId } from "#runtime/id.ts";
import type { Deps } from "./deps.ts";
import {
  type Noun,
  ofOwner,
  type Owner,
  readPage,
  pageParams,
  spanOf,
  type Operation,
  pathId,
  pathIdOf,
  presentPage,
  required,
} from "./operation.ts";
import { Problem } from "../http/problem.ts";
import { streamChanges, wantsEventStream } from "../waiting/stream-changes.ts";
import { waitForCompletion } from "../waiting/prefer-wait.ts";

/** Images have the same filters. */
type Query = NonNullable<operations["listVideoGenerations"]["parameters"]["query"]>;

type Filters = Pick<Query, "status" | "model" | "created_after" | "created_before">;

function list(kind: Kind): Operation {
  return (deps) => (request, reply) =>
    deps.reads.answer(request, reply, async () => {
      const query = request.query as Query;
      const fields = { kind, ...filtersOf(query), endUser: query.end_user };
      const { generations, hasMore } = await readPage(
        deps.generation.listGenerations({ ...pageParams(request), ...fields }),
      );
      const assetBaseUrl = deps.assetBaseUrl();
      const present = (generation: Generation) => publicGeneration(generation, assetBaseUrl);
      return presentPage(generations.map(present), hasMore);
    });
}

export const listImageGenerations = list(Kind.IMAGE);

export const listVideoGenerations = list(Kind.VIDEO);

export function filtersOf({ status, model, ...times }: Filters) {
  return { status: status && generationStatusOf(status), model, ...spanOf(times) };
}

type Ref = Owner & { kind: Kind; generationId: string };

const GENERATION: Noun<Ref> = {
  name: "generation",
  idSchema: "GenerationId",
  code: "generation_not_found",
  refOf: (owner, generationId) => ({ ...owner, kind: kindOfId(generationId), generationId }),
  read: ({ generation }, ref) => generation.getGeneration(ref),
};

/** The id in the path; 404 when it does not match `idSchema`, the name of a schema of the document. */
export function pathGenerationId(deps: Deps, request: FastifyRequest, idSchema: string): string {
  const id = pathId(request);
  try {
    pathIdOf(deps, request, { ...GENERATION, idSchema });
  } catch (error) {
    if (!isGenerationId(id)) throw error;
    throw new Problem(GENERATION.code, { message: otherPath(deps, id) });
  }
  request.generationId = id;
  return id;
}

/** The form of an id says its kind. Whether there is such a generation is not looked at. */
function otherPath(deps: Deps, id: string): string {
  const kind = kindOfId(id);
  const [prefix, what] = kind === Kind.IMAGE ? ["igen_", "an image"] : ["vgen_", "a video"];
  return `An id that begins with ${prefix} is that of ${what}. Use ${pathOfKind(deps, kind)}/{id}.`;
}

function pathOfKind({ contract }: Pick<Deps, "contract">, kind: Kind): string {
  return `${contract.prefix}/${kindName(kind)}s/generations`;
}

export function generationPath(deps: Pick<Deps, "contract">, id: string): string {
  return `${pathOfKind(deps, kindOfId(id))}/${id}`;
}

export async function getGeneration(
  deps: Deps,
  request: FastifyRequest,
  generationId: string,
): Promise<Generation> {
  const call = (ref: Ref) => deps.generation.getGeneration(ref);
  const { generation } = await ofOwner(deps, request, GENERATION, call, generationId);
  return required(generation);
}

export const retrieveImageGeneration = retrieve("ImageGenerationId");

export const retrieveVideoGeneration = retrieve("VideoGenerationId");

/** As it is now, when it has ended, or at each change: as the headers of the request ask. */
function retrieve(idSchema: string): Operation {
  return (deps) => async (request, reply) => {
    const generationId = pathGenerationId(deps, request, idSchema);
    const read = () => getGeneration(deps, request, generationId);
    if (wantsEventStream(request)) {
      return streamChanges(deps, request, reply, { generationId, read });
    }
    if (request.headers["prefer"] === undefined) {
      return deps.reads.answer(request, reply, async () =>
        publicGeneration(await read(), deps.assetBaseUrl()),
      );
    }
    const reads = { generationId, first: read };
    const generation = await waitForCompletion(deps, request, reply, reads);
    return publicGeneration(generation, deps.assetBaseUrl());
  };
}

/** Generation calls the upstream for up to 10 s and then settles. `idSchema`: the name of a schema of the document. */
export function cancel(idSchema: string): Operation {
  return (deps) => async (request) => {
    const generationId = pathGenerationId(deps, request, idSchema);
    request.turn?.pause();
    const call = (ref: Ref) => deps.generation.cancelGeneration(ref);
    const { generation } = await ofOwner(deps, request, GENERATION, call, generationId);
    return publicGeneration(required(generation), deps.assetBaseUrl());
  };
}

export const cancelImageGeneration = cancel("ImageGenerationId");

export const cancelVideoGeneration = cancel("VideoGenerationId");

/** Returns once the deletion is recorded; the content is deleted right after that. */
export async function deleteGeneration(
  deps: Deps,
  request: FastifyRequest,
  generationId: string,
): Promise<void> {
  const call = (ref: Ref) => deps.generation.deleteGeneration(ref);
  await ofOwner(deps, request, GENERATION, call, generationId);
}

export const deleteImageGeneration: Operation = (deps) => async (request) =>
  deleteGeneration(deps, request, pathGenerationId(deps, request, "ImageGenerationId"));

export const deleteVideoGeneration: Operation = (deps) => async (request) =>
  deleteGeneration(deps, request, pathGenerationId(deps, request, "VideoGenerationId"));
