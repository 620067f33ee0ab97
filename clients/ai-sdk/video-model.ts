/** Video models of the AI SDK. */
import {
  TypeValidationError,
  type Experimental_VideoModelV4 as VideoModelV4,
  type JSONValue,
} from "@ai-sdk/provider";
import type { Model, Result, Video, VideoBody, VideoRequest } from "../typescript/index.ts";
import {
  allThatSucceed,
  asApiCall,
  bytesOf,
  callOptions,
  createOptions,
  faultOf,
  generationError,
  MAX_PER_CALL,
  ofCreated,
  responseOf,
  type Service,
} from "./calls.ts";
import {
  modelFor,
  OPTIONS_NAME,
  pictureOf,
  refuse,
  RequestFields,
  withSameShape,
} from "./requests.ts";

/** `providerOptions.mediaGeneration`: fields of the API's request that the AI SDK has no option for. */
export type VideoOptions = Partial<Omit<VideoBody, "model" | "prompt" | "webhook_url">>;

type Start = Parameters<NonNullable<VideoModelV4["doStart"]>>[0];

/**
 * What is started: one generation for each video. With `isAwaited` its status is asked for when a webhook has told of the first
 * of them, and the AI SDK takes no other answer than the end of all.
 */
type Operation = { ids: string[]; isAwaited: boolean };

const CREATE_PATH = "/videos/generations";

/** `statusAttempts` are those of one look at a video: the AI SDK gives it up after the first that fails. */
export function videoModel(
  serviceOf: () => Service,
  modelId: string,
  statusAttempts: number,
): VideoModelV4 {
  return {
    specificationVersion: "v4",
    provider: "media-generation.video",
    modelId,
    maxVideosPerCall: MAX_PER_CALL,
    handleWebhookOption: async ({ webhook }) => {
      const { url, received } = await webhook();
      return { webhookUrl: url, received };
    },
    doGenerate: async (call) => {
      const service = serviceOf();
      const { started, warnings } = await start(service, modelId, call);
      const options = callOptions(call);
      const videos = await allThatSucceed(
        warnings,
        started.map(({ id }) =>
          ofCreated(urlOfVideo(service, id), id, call, service.client.videos.wait(id, options)),
        ),
      );
      const ended = await completed(service, videos, call);
      return {
        ...ended,
        warnings: [...warnings, ...ended.warnings],
        response: responseOf(videos[0], modelId),
      };
    },
    doStart: async (call) => {
      const { started, warnings } = await start(serviceOf(), modelId, call);
      const ids = started.map(({ id }) => id);
      const isAwaited = call.webhookUrl !== undefined && ids.length > 1;
      const operation: Operation = { ids, isAwaited };
      return { operation, warnings, response: responseOf(started[0], modelId) };
    },
    doStatus: async ({ operation, ...call }) => {
      const { ids, isAwaited } = checkedOperation(operation);
      const service = serviceOf();
      const options = callOptions(call);
      const read = (id: string): PromiseLike<Result<Video>> =>
        isAwaited
          ? service.client.videos.wait(id, options)
          : service.client.videos.retrieve(id, { ...options, maxAttempts: statusAttempts });
      const videos = await Promise.all(
        ids.map((id) => ofCreated(urlOfVideo(service, id), id, call, read(id))),
      );
      const response = responseOf(videos[0] as Result<Video>, modelId);
      return videos.every(({ status }) => status !== "pending" && status !== "processing")
        ? { status: "completed", ...(await completed(service, videos, call)), response }
        : { status: "pending", response };
    },
  };
}

function urlOfVideo({ urlOf }: Service, id: string): string {
  return urlOf(`${CREATE_PATH}/${id}`);
}

async function start(service: Service, modelId: string, call: Start) {
  const { client, urlOf } = service;
  const hints = [call.seed, call.resolution, call.generateAudio];
  const model = await modelFor(service, modelId, hints, callOptions(call));
  const { request, warnings } = requestFor(modelId, call, model);
  const creates = Array.from({ length: call.n }, (_, index) =>
    asApiCall(
      urlOf(CREATE_PATH),
      request,
      client.videos.create(request, createOptions(call, index)),
    ),
  );
  return { started: await allThatSucceed(warnings, creates), warnings };
}

/** Throws TypeValidationError for what doStart has not given. */
function checkedOperation(operation: unknown): Operation {
  const { ids, isAwaited } = Object(operation) as { ids?: unknown; isAwaited?: unknown };
  const isOwn = Array.isArray(ids) && ids.length > 0 && ids.every((id) => typeof id === "string");
  if (isOwn) return { ids, isAwaited: isAwaited === true };
  const cause = new Error(
    "It is no operation that experimental_startVideo gave for this provider.",
  );
  throw new TypeValidationError({ value: operation, cause });
}

/** Names of this machine, from which the AI SDK downloads nothing. */
const LOCAL = /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/;

/**
 * What has succeeded, with a warning for each of the others. Throws if none has: the AI SDK makes of the status "error"
 * an error without a code.
 */
async function completed(
  service: Service,
  generations: readonly Result<Video>[],
  call: { abortSignal?: AbortSignal },
) {
  const outputs = generations.flatMap(({ id, credits, output }) =>
    output.map((each) => ({ id, credits, ...each })),
  );
  const ended = generations.filter(({ status }) => status !== "success");
  const faults = ended.map(faultOf);
  const [first] = ended;
  if (outputs.length === 0 && first)
    throw generationError(urlOfVideo(service, first.id), first, faults.join("\n"));
  const videos = outputs.map(async ({ id, url, content_type: mediaType }) =>
    LOCAL.test(new URL(url).hostname)
      ? ({
          type: "binary",
          data: await bytesOf(service.client, { id, url }, call),
          mediaType,
        } as const)
      : ({ type: "url", url, mediaType } as const),
  );
  return {
    videos: await Promise.all(videos),
    warnings: faults.map((message) => ({ type: "other", message }) as const),
    providerMetadata: { [OPTIONS_NAME]: { videos: outputs as JSONValue[] } },
  };
}

/** `model` is there where one of the hints is. */
function requestFor(modelId: string, call: Start, model: Model | undefined) {
  const { prompt, duration, fps, seed, generateAudio, providerOptions, webhookUrl } = call;
  const built = new RequestFields(modelId, prompt, providerOptions);
  built.set("duration", duration);
  setFrame(built, call, model);
  if (fps !== undefined) built.leave("fps", "The model decides.");
  built.parameter("seed", "seed", seed, model);
  built.parameter("generateAudio", "audio", generateAudio, model);
  setPictures(built, call);
  built.set("webhook_url", webhookUrl, "webhookUrl");
  return { request: built.fields as VideoRequest, warnings: built.warnings };
}

/** The AI SDK's `resolution` is the frame in pixels: its shape is an aspect ratio here, its shorter side the resolution. */
function setFrame(
  built: RequestFields,
  { aspectRatio, resolution }: Start,
  model: Model | undefined,
): void {
  if (aspectRatio === "adaptive") built.leave("aspectRatio", "The model decides, or the picture.");
  else built.set("aspect_ratio", aspectRatio, "aspectRatio");
  if (resolution === undefined) return;
  const ratios = model?.aspect_ratios ?? [];
  const ratio = withSameShape(ratios, resolution);
  if (aspectRatio === undefined) built.set("aspect_ratio", ratio, "resolution");
  else if (aspectRatio !== "adaptive" && !withSameShape([aspectRatio], resolution))
    built.leave("resolution", "aspectRatio is given too, and decides the shape.");
  const lines = Math.min(...resolution.split("x").map(Number));
  const names = [`${lines}P`, ...(NAMES_OF_LINES[lines] ?? [])];
  const { values = [] } = model?.parameters["resolution"] ?? {};
  const makes = [...new Set([...(model?.resolution ? [model.resolution] : []), ...values])];
  const value = makes.find((each) => names.includes(each));
  if (value !== model?.resolution) built.set("resolution", value);
  if (value === undefined || (aspectRatio === undefined && ratio === undefined))
    refuse(built.fields.model, "resolution", resolution, [
      `${makes.join(", ")} in ${ratios.join(", ")}`,
    ]);
}

const NAMES_OF_LINES: Readonly<Record<number, readonly string[]>> = {
  1080: ["1K"],
  1440: ["2K"],
  2160: ["4K"],
};

function setPictures(built: RequestFields, call: Start): void {
  const { image, frameImages = [], inputReferences = [] } = call;
  const frame = (type: string) => frameImages.find(({ frameType }) => frameType === type)?.image;
  const first = frame("first_frame") ?? image;
  const last = frame("last_frame");
  built.set("image_url", first && pictureOf(first), "image");
  built.set("last_image_url", last && pictureOf(last), "frameImages");
  const isVideo = ({ mediaType = "" }: { mediaType?: string }) => mediaType.startsWith("video/");
  const [video, ...more] = inputReferences.filter(isVideo);
  if (video?.type === "url") built.set("video_url", video.url, "inputReferences");
  if (video?.type === "file" || more.length > 0)
    built.leave("inputReferences", "At most one video, by its URL.");
  const pictures = inputReferences.filter((each) => !isVideo(each));
  const references = pictures.map((each) => ({ url: pictureOf(each), role: "subject" }));
  built.set("reference_images", references.length ? references : undefined, "inputReferences");
}
