/** Video models of the AI SDK. */
import {
  TypeValidationError,
  type Experimental_VideoModelV4 as VideoModelV4,
  type JSONValue,
} from "@ai-sdk/provider";
import type { Result, Video } from "../typescript/index.ts";
import {
  allThatSucceed,
  asApiCall,
  bytesOf,
  callOptions,
  createOptions,
  faultOf,
  generationError,
  MAX_PER_CALL,
  type Service,
} from "./calls.ts";
import { modelFor, OPTIONS_NAME } from "./requests.ts";
import { videoHints, videoRequest } from "./video-request.ts";

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
        started.map(({ id }) => {
          const created = { id, signal: call.abortSignal };
          const url = service.urlOf(`${CREATE_PATH}/${id}`);
          return asApiCall(url, undefined, service.client.videos.wait(id, options), created);
        }),
      );
      const ended = await completed(service, videos, call);
      return {
        ...ended,
        warnings: [...warnings, ...ended.warnings],
        response: responseOf(videos, modelId),
      };
    },
    doStart: async (call) => {
      const { started, warnings } = await start(serviceOf(), modelId, call);
      const ids = started.map(({ id }) => id);
      const isAwaited = call.webhookUrl !== undefined && ids.length > 1;
      const operation: Operation = { ids, isAwaited };
      return { operation, warnings, response: responseOf(started, modelId) };
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
        ids.map((id) => {
          const created = { id, signal: call.abortSignal };
          return asApiCall(service.urlOf(`${CREATE_PATH}/${id}`), undefined, read(id), created);
        }),
      );
      const response = responseOf(videos, modelId);
      return videos.every(({ status }) => status !== "pending" && status !== "processing")
        ? { status: "completed", ...(await completed(service, videos, call)), response }
        : { status: "pending", response };
    },
  };
}

async function start(service: Service, modelId: string, call: Start) {
  const { client, urlOf } = service;
  const model = await modelFor(service, modelId, videoHints(call), callOptions(call));
  const { request, warnings } = videoRequest(modelId, call, model);
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

type Start = Parameters<NonNullable<VideoModelV4["doStart"]>>[0];
type Status = Awaited<ReturnType<NonNullable<VideoModelV4["doStatus"]>>>;

/** Names of this machine, from which the AI SDK downloads nothing. */
const LOCAL = /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/;

/**
 * What has succeeded, with a warning for each of the others. Throws if none has: the AI SDK makes of the status "error"
 * an error without a code.
 */
async function completed(
  { client, urlOf }: Service,
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
    throw generationError(urlOf(`${CREATE_PATH}/${first.id}`), first, faults.join("\n"));
  const videos = outputs.map(async ({ url, content_type: mediaType }) =>
    LOCAL.test(new URL(url).hostname)
      ? ({ type: "binary", data: await bytesOf(client, { url }, call), mediaType } as const)
      : ({ type: "url", url, mediaType } as const),
  );
  return {
    videos: await Promise.all(videos),
    warnings: faults.map((message) => ({ type: "other", message }) as const),
    providerMetadata: { [OPTIONS_NAME]: { videos: outputs as JSONValue[] } },
  };
}

function responseOf([first]: readonly Result<Video>[], modelId: string): Status["response"] {
  return {
    timestamp: new Date(first?.created_at ?? Number.NaN),
    modelId,
    headers: first && Object.fromEntries(first.lastResponse.headers),
  };
}
