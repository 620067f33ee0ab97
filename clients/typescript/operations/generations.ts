/** The functions of videos and of images: both kinds are made, waited for and watched alike. */
import type { ApiPromise, Result } from "../http/api-promise.ts";
import type { CallOptions, Connection } from "../http/connection.ts";
import { idempotencyHeader, type CreateOptions } from "../http/idempotency.ts";
import { withGenerationId } from "../http/media-error.ts";
import type { Listing } from "../http/pages.ts";
import type {
  ImageInputs,
  ImageModelId,
  ImageRequest,
  VideoInputs,
  VideoModelId,
  VideoRequest,
} from "../http/requests.ts";
import type {
  Image,
  ImageBody,
  ImageFilter,
  SucceededImage,
  SucceededVideo,
  Video,
  VideoBody,
  VideoFilter,
} from "../http/types.ts";
import { OUTAGE_MS, waitFunctions, type WaitOptions, type Waits } from "../http/wait.ts";
import { watch } from "../http/watch.ts";
import { sendPictures } from "./files.ts";

/**
 * `respondAsync` resolves with the pending image as soon as its price is reserved, as for a video, instead of holding the request
 * until the image is finished.
 */
export type CreateImageOptions<Async extends boolean = boolean> = CreateOptions & {
  respondAsync?: Async;
};

/** What both kinds have. */
export type Generations<Generation, Filter> = {
  /** The generation as it is now, with any status. Throws a NotFoundError where there is none, or it was deleted. */
  retrieve: (id: string, options?: CallOptions) => ApiPromise<Generation>;
  /** Those of the account in the mode of the key, newest first: all of them with `for await`. */
  list: (filter?: Filter, options?: CallOptions) => Listing<Generation>;
  /**
   * Throws a ConflictError `not_cancelable` or `already_finished` where it is too late. An image that is being made within one
   * call of its upstream cannot be stopped.
   */
  cancel: (id: string, options?: CallOptions) => ApiPromise<Generation>;
  /**
   * Deletes an ended generation: files, input and webhooks; also one that is deleted already. Throws a ConflictError
   * `not_finished` before its end.
   */
  delete: (id: string, options?: CallOptions) => ApiPromise<void>;
  /** Resolves when the status is `success`, `failed` or `canceled`; it throws for none of them. */
  wait: (id: string, options?: WaitOptions<Generation>) => Promise<Result<Generation>>;
  /**
   * `for await (const update of …)`: the generation as it is now, at each change, and as it ended. `signal` stops the
   * watching, not the generation; `timeoutMs` is the limit until a stream begins.
   */
  watch: (id: string, options?: CallOptions) => AsyncIterable<Generation>;
};

export type Videos = Generations<Video, VideoFilter> & {
  /**
   * Reserves the price and resolves with the pending generation. A request that is put together before, of a model that
   * is known only then, is of the type `VideoRequest`.
   */
  create: <Id extends VideoModelId>(
    request: { model: Id } & VideoInputs<Id>,
    options?: CreateOptions,
  ) => ApiPromise<Video>;
  /**
   * `create`, then `wait`: resolves with the video once it succeeded. Throws a GenerationError if it failed, with
   * the generation's id in `details`, a GenerationCanceledError if it was canceled, and a WaitStoppedError with its id
   * if `signal` or `waitMs` stops the wait.
   */
  createAndWait: <Id extends VideoModelId>(
    request: { model: Id } & VideoInputs<Id>,
    options?: CreateOptions & WaitOptions<Video>,
  ) => Promise<Result<SucceededVideo>>;
};

export type Images = Generations<Image, ImageFilter> & {
  /**
   * Resolves with the finished image. Throws a GenerationError if it failed or was canceled, and one with the code
   * `generation_timeout` if it is not finished after two minutes. With `respondAsync` it resolves at once, with any status.
   * A request that is put together before, of a model that is known only then, is of the type `ImageRequest`.
   */
  create: <Id extends ImageModelId, Async extends boolean = false>(
    request: { model: Id } & ImageInputs<Id>,
    options?: CreateImageOptions<Async>,
  ) => ApiPromise<Async extends true ? Image : SucceededImage>;
  /** `create` with `respondAsync`, then `wait`, as for a video: no request takes longer than a minute. */
  createAndWait: <Id extends ImageModelId>(
    request: { model: Id } & ImageInputs<Id>,
    options?: CreateOptions & WaitOptions<Image>,
  ) => Promise<Result<SucceededImage>>;
};

const CREATE_TIMEOUT_MS = 150_000;

export function videos(connection: Connection): Videos {
  const { http, sending, answer } = connection;
  const create = (request: VideoRequest, options?: CreateOptions) => {
    const header = idempotencyHeader(options);
    return answer(
      sendPictures<VideoBody>(connection, request, header, options).then((body) =>
        http.POST("/videos/generations", { body, params: { header }, ...sending(options) }),
      ),
    );
  };
  const { waitForCreated, ...functions } = generations<Video, VideoFilter>(connection, "videos");
  return {
    ...functions,
    create,
    createAndWait: async (request, options) => {
      const { id } = await create(request, options);
      return waitForCreated(id, options) as Promise<Result<SucceededVideo>>;
    },
  };
}

export function images(connection: Connection): Images {
  const { http, sending, answer } = connection;
  const create = (
    request: ImageRequest,
    { respondAsync, ...options }: CreateImageOptions = {},
  ): ApiPromise<Image> => {
    const key = idempotencyHeader(options);
    const [header, limit] = respondAsync
      ? [{ ...key, Prefer: "respond-async" }, {}]
      : [key, { timeoutMs: CREATE_TIMEOUT_MS }];
    return answer(
      sendPictures<ImageBody>(connection, request, key, options).then((body) =>
        http.POST("/images/generations", { body, params: { header }, ...sending(options, limit) }),
      ),
    );
  };
  const { waitForCreated, ...functions } = generations<Image, ImageFilter>(connection, "images");
  return {
    ...functions,
    create: create as Images["create"],
    createAndWait: async (request, options) => {
      const { id } = await create(request, { ...options, respondAsync: true });
      return waitForCreated(id, options) as Promise<Result<SucceededImage>>;
    },
  };
}

type Any = Video | Image;

function generations<Generation extends Any, Filter>(
  { http, timing, sending, answer, list }: Connection,
  kind: "videos" | "images",
): Generations<Generation, Filter> & Waits<Generation> {
  const all = `/${kind}/generations` as const;
  const one = `${all}/{id}` as const;
  const of = (id: string) => ({ params: { path: { id } } });
  const openStream = (id: string, options?: CallOptions) => {
    const { fetch, headers } = sending(options, { isStreamed: true, outageMs: OUTAGE_MS });
    const accepting = { fetch, headers: { ...headers, accept: "text/event-stream" } };
    return answer(http.GET(one, { ...of(id), parseAs: "stream", ...accepting })).asResponse();
  };
  const functions: Generations<Any, object> & Waits<Any> = {
    retrieve: (id, options) => answer(http.GET(one, { ...of(id), ...sending(options) })),
    list: (filter, options) => list(all, filter, options),
    cancel: (id, options) =>
      answer(http.POST(`${one}/cancel` as const, { ...of(id), ...sending(options) })),
    delete: (id, options) => answer(http.DELETE(one, { ...of(id), ...sending(options) })),
    ...waitFunctions(kind, timing, (id, holdSeconds, options, outageMs) => {
      const header = holdSeconds > 0 ? { Prefer: `wait=${holdSeconds}` } : {};
      const sent = sending(options, { extraMs: holdSeconds * 1_000, outageMs });
      return answer(http.GET(one, { params: { path: { id }, header }, ...sent }));
    }),
    async *watch(id, options) {
      try {
        yield* watch<Any>(() => openStream(id, options), timing, options?.signal);
      } catch (error) {
        throw withGenerationId(error, id);
      }
    },
  };
  return functions as unknown as Generations<Generation, Filter> & Waits<Generation>;
}
