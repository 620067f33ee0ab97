/** Operations on generations that exist: list, retrieve, cancel and delete. */
import type { Call } from "../http/request-state.ts";
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
  return (call) =>
    call.deps.shareRead(call, async () => {
      const { deps, request } = call;
      const query = request.query as Query;
      const fields = { kind, ...filtersOf(query), endUser: query.end_user };
      const { generations, hasMore } = await readPage(
        deps.generation.listGenerations({ ...pageParams(request), ...fields }),
      );
      return presentPage(presentAll(deps, generations), hasMore);
    });
}

export function presentAll({ assetBaseUrl }: Deps, generations: readonly Generation[]) {
  return generations.map((generation) => publicGeneration(generation, assetBaseUrl()));
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
  deleted: (id) =>
    `This ${kindName(kindOfId(id))} was deleted. Its transactions are kept. Create a new one if you need it.`,
  refOf: (owner, generationId) => ({ ...owner, kind: kindOfId(generationId), generationId }),
  read: ({ generation }, ref) => generation.getGeneration(ref),
};

/** The id in the path; 404 when it does not match `idSchema`, the name of a schema of the document. */
export function pathGenerationId(call: Call<Deps>, idSchema: string): string {
  const { deps, request } = call;
  const id = pathId(request);
  try {
    pathIdOf(call, { ...GENERATION, idSchema });
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

export async function getGeneration(call: Call<Deps>, generationId: string): Promise<Generation> {
  const get = (ref: Ref) => call.deps.generation.getGeneration(ref);
  const { generation } = await ofOwner(call, GENERATION, get, generationId);
  return required(generation);
}

export const retrieveImageGeneration = retrieve("ImageGenerationId");

export const retrieveVideoGeneration = retrieve("VideoGenerationId");

/** As it is now, when it has ended, or at each change: as the headers of the request ask. */
function retrieve(idSchema: string): Operation {
  return async (call) => {
    const { deps, request } = call;
    const generationId = pathGenerationId(call, idSchema);
    const first = () => getGeneration(call, generationId);
    if (wantsEventStream(request)) return streamChanges(call, { generationId, first });
    const shown = async (read: () => Promise<Generation>) =>
      publicGeneration(await read(), deps.assetBaseUrl());
    if (request.headers["prefer"] === undefined) return deps.shareRead(call, () => shown(first));
    return shown(() => waitForCompletion(call, { generationId, first }));
  };
}

/** Generation calls the upstream for up to 10 s and then settles. `idSchema`: the name of a schema of the document. */
export function cancel(idSchema: string): Operation {
  return async (call) => {
    const { deps, request } = call;
    const generationId = pathGenerationId(call, idSchema);
    request.turn?.pause();
    const rpc = (ref: Ref) => deps.generation.cancelGeneration(ref);
    const { generation } = await ofOwner(call, GENERATION, rpc, generationId);
    return publicGeneration(required(generation), deps.assetBaseUrl());
  };
}

export const cancelImageGeneration = cancel("ImageGenerationId");

export const cancelVideoGeneration = cancel("VideoGenerationId");

/** Returns once the deletion is recorded; the content is deleted right after that. */
export async function deleteGeneration(call: Call<Deps>, generationId: string): Promise<void> {
  const rpc = (ref: Ref) => call.deps.generation.deleteGeneration(ref);
  await ofOwner(call, GENERATION, rpc, generationId);
}

export const deleteImageGeneration: Operation = async (call) =>
  deleteGeneration(call, pathGenerationId(call, "ImageGenerationId"));

export const deleteVideoGeneration: Operation = async (call) =>
  deleteGeneration(call, pathGenerationId(call, "VideoGenerationId"));
