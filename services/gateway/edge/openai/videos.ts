/** The dialect's operations on videos, and how it presents them. */
import type { components, operations } from "#gen/openapi/openai.ts";
import { Kind } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { isTerminal } from "#vocabulary/names.ts";
import { publicGeneration, type PublicVideo } from "#vocabulary/public-generation.ts";
import { takesAs } from "#vocabulary/what-model-takes.ts";
import type { StoredFiles } from "../http/stored-files.ts";
import type { Contract } from "../http/contract.ts";
import type { Operation } from "../http/document-routes.ts";
import type { Call } from "../http/request-state.ts";
import { Problem } from "../http/problem.ts";
import { createVideoGeneration } from "../operations/create.ts";
import {
  deleteGeneration,
  getGeneration,
  pathGenerationId,
  presentAll,
} from "../operations/generations.ts";
import type { Deps } from "../operations/deps.ts";
import { pageParams, readPage, required } from "../operations/operation.ts";
import { endUserOf, withPictures, type Picture } from "./pictures.ts";
import { catalogFor } from "../operations/models.ts";

export type DialectDeps = Deps & { openaiContract: Contract; files: StoredFiles };

export type DialectOperation = Operation<DialectDeps>;

type Schemas = components["schemas"];
/** A form's fields of one name with the JSON body's have the same values, but for files. */
type CreateBody = Omit<Schemas["OpenaiCreateVideoRequest"], "input_reference"> &
  Pick<
    Schemas["OpenaiCreateVideoForm"],
    "input_reference[image_url]" | "input_reference[file_id]"
  > & { input_reference?: Schemas["OpenaiCreateVideoRequest"]["input_reference"] | Uint8Array };

const POLL_AFTER_MS = 2_000;

export const openaiCreateVideo: DialectOperation = async (call) => {
  const { request, reply } = call;
  const body = request.body as CreateBody;
  const { model, prompt, seconds, size } = body;
  const ratio = size ? await aspectRatioOf(call, model, size) : undefined;
  return withPictures(call, picturesOf(body), async ([url]) => {
    request.body = {
      model,
      prompt,
      ...(url === undefined ? {} : { image_url: url }),
      ...(seconds ? { duration: Number(seconds) } : {}),
      ...(ratio === undefined ? {} : { aspect_ratio: ratio }),
      ...endUserOf(body),
    };
    const video = (await createVideoGeneration(call)) as PublicVideo;
    // A client of this dialect retrieves it by its id.
    void reply.removeHeader("Location");
    return answerVideo(call, video);
  });
};

export const openaiRetrieveVideo: DialectOperation = async (call) =>
  answerVideo(call, await readVideo(call));

type ListQuery = NonNullable<operations["openaiListVideos"]["parameters"]["query"]>;

export const openaiListVideos: DialectOperation = async (call) => {
  const { deps, request } = call;
  const { order } = request.query as ListQuery;
  const { generations, hasMore } = await readPage(
    deps.generation.listGenerations({
      ...pageParams(request),
      kind: Kind.VIDEO,
      oldestFirst: order === "asc",
    }),
  );
  const videos = presentAll(deps, generations) as PublicVideo[];
  return {
    object: "list",
    data: await presentVideos(call, videos),
    first_id: videos[0]?.id ?? null,
    last_id: videos.at(-1)?.id ?? null,
    has_more: hasMore,
  } satisfies Schemas["OpenaiVideoList"];
};

export const openaiDeleteVideo: DialectOperation = async (call) => {
  const id = pathGenerationId(call, "VideoGenerationId");
  await deleteGeneration(call, id);
  return { id, object: "video.deleted", deleted: true } satisfies Schemas["OpenaiDeletedVideo"];
};

type DownloadQuery = NonNullable<operations["openaiDownloadVideo"]["parameters"]["query"]>;

export const openaiDownloadVideo: DialectOperation = async (call) => {
  const { variant } = call.request.query as DownloadQuery;
  const { status, output } = await readVideo(call);
  const [file] = output;
  if (!file) throw notCompleted(status);
  const url = variant === "thumbnail" ? file.thumbnail_url : file.url;
  if (url === undefined) {
    const message = "This video has no thumbnail. Ask for the variant video.";
    throw new Problem("invalid_value", { message, param: "variant" });
  }
  return call.reply.redirect(url, 302);
};

function notCompleted(status: PublicVideo["status"]): Problem {
  const isOver = isTerminal(status);
  const message = isOver
    ? `The video ended as ${status} and has no file. Create another.`
    : "The video is not completed yet. Retrieve it until its status is completed.";
  // Not a 409, which clients would repeat.
  return new Problem("not_finished", { type: "invalid_request_error", message });
}

async function readVideo(call: Call<Deps>): Promise<PublicVideo> {
  const generation = await getGeneration(call, pathGenerationId(call, "VideoGenerationId"));
  return publicGeneration(generation, call.deps.assetBaseUrl()) as PublicVideo;
}

async function answerVideo(call: Call<Deps>, video: PublicVideo): Promise<DialectVideo> {
  if (!isTerminal(video.status))
    void call.reply.header("openai-poll-after-ms", String(POLL_AFTER_MS));
  return required((await presentVideos(call, [video]))[0]);
}

/** A form names its picture in one of three fields, and JSON within one. */
function picturesOf(body: CreateBody): Picture[] {
  const { input_reference: reference } = body;
  const named = reference instanceof Uint8Array ? undefined : reference;
  const url = named?.image_url ?? body["input_reference[image_url]"];
  const id = named?.file_id ?? body["input_reference[file_id]"];
  const param = "input_reference";
  const given: Picture[] = [
    ...(reference instanceof Uint8Array ? [{ param, file: reference }] : []),
    ...(url === undefined ? [] : [{ param, url }]),
    ...(id === undefined ? [] : [{ param, id }]),
  ];
  if (given.length <= 1) return given;
  throw new Problem("invalid_value", { message: "Send one input_reference.", param });
}

type DialectVideo = Schemas["OpenaiVideo"];

/** Clients know these only, and some wait for ever on another. */
const STATUSES = {
  pending: "queued",
  processing: "in_progress",
  success: "completed",
  failed: "failed",
  canceled: "failed",
} as const satisfies Record<PublicVideo["status"], DialectVideo["status"]>;

/** The size of a video is that of its file, else of the frame that was asked for. */
async function presentVideos(call: Call<Deps>, videos: readonly PublicVideo[]) {
  const areAllStored = videos.every(({ output }) => output.length > 0);
  const models = areAllStored ? [] : await catalogFor(call);
  const byId = new Map(models.map((model) => [model.id, model]));
  return videos.map((video) => {
    const [file] = video.output;
    const model = byId.get(video.model);
    const frame = model?.frames[model.aspectRatios.indexOf(video.input.aspect_ratio)] ?? "";
    return presentVideo(video, file ? `${file.width}x${file.height}` : frame);
  });
}

function presentVideo(video: PublicVideo, size: string): DialectVideo {
  const { id, model, status, progress, input, completed_at: endedAt } = video;
  const isCompleted = status === "success" && endedAt !== undefined;
  return {
    id,
    object: "video",
    model,
    status: STATUSES[status],
    progress,
    created_at: unixSeconds(video.created_at),
    completed_at: isCompleted ? unixSeconds(endedAt) : null,
    expires_at: null,
    prompt: input.prompt,
    seconds: String(input.duration),
    size,
    error: errorOf(video),
    remixed_from_video_id: null,
  };
}

export function unixSeconds(time: string): number {
  return Math.floor(Date.parse(time) / 1_000);
}

function errorOf({ status, error }: PublicVideo): DialectVideo["error"] {
  if (status === "canceled") return { code: "canceled", message: "The video was canceled." };
  return error ? { code: error.code, message: error.message } : null;
}

/** The aspect ratio of the frame; undefined where the model is none that has frames, which the create then refuses. */
async function aspectRatioOf(call: Call<Deps>, modelId: string, size: string) {
  const models = await catalogFor(call);
  const model = models.find(({ id }) => id === modelId);
  if (!model || model.frames.length === 0) return undefined;
  const ratio = model.aspectRatios[model.frames.indexOf(size)];
  if (ratio !== undefined) return ratio;
  const message = takesAs(modelId, "size", model.frames, size);
  throw new Problem("unsupported_size", { message, param: "size" });
}
