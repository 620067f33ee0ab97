/** The functions of videos and of images: both kinds are made, waited for and watched alike. */
import type { ApiPromise, Result } from "../http/api-promise.ts";
import { withGenerationId } from "../http/api-error.ts";
import {
  CALL_OPTIONS,
  checkOptions,
  CREATE_OPTIONS,
  type CallOptions,
  type Connection,
  type CreateImageOptions,
  type CreateOptions,
  type WaitOptions,
} from "../http/connection.ts";
import { ArgumentError } from "../http/errors.ts";
import type { Listing } from "../http/pages.ts";
import { withSentPictures } from "../http/pictures.ts";
import type {
  Image,
  ImageFilter,
  ImageInputs,
  ImageModelId,
  SucceededImage,
  SucceededVideo,
  Video,
  VideoFilter,
  VideoInputs,
  VideoModelId,
} from "../http/types.ts";
import { OUTAGE_MS, waitFunctions } from "../http/wait.ts";
import { watch } from "../http/watch.ts";
import { files } from "./files.ts";

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
   * Reserves the price and resolves with the pending generation. A request that is put together before is a `VideoRequest`.
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
   * A request that is put together before is an `ImageRequest`.
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

export const videos = (connection: Connection): Videos =>
  generations<Video>(connection, "videos") as Videos;
export const images = (connection: Connection): Images =>
  generations<Image>(connection, "images") as Images;

function generations<Generation extends Video | Image>(
  connection: Connection,
  kind: "videos" | "images",
) {
  const { timing, call, list } = connection;
  const all = `/${kind}/generations` as const;
  const one = `${all}/{id}` as const;
  const { wait, waitForCreated } = waitFunctions<Generation>(connection, kind);

  const send = (request: object, given: CreateImageOptions, known = CREATE_OPTIONS) => {
    if (typeof request !== "object" || request === null)
      throw new ArgumentError("Give the request as one object, such as { model, prompt }.");
    // A mistaken name of the idempotency key would make and charge a create twice.
    checkOptions(given, known);
    const option = Object.keys(request).find((name) => Object.hasOwn(CALL_OPTIONS, name));
    if (option) throw new ArgumentError(`${option} is an option: give it in a second object.`);
    const { respondAsync, idempotencyKey: givenKey, ...options } = given;
    const idempotencyKey = givenKey ?? crypto.randomUUID();
    const body = withSentPictures(request, kind, idempotencyKey, async (picture, key) => {
      const sent = await files(connection).create(picture, { ...options, idempotencyKey: key });
      return sent.url;
    });
    const headers = {
      "Idempotency-Key": idempotencyKey,
      ...(respondAsync && { Prefer: "respond-async" }),
    };
    const limit = kind === "images" && !respondAsync ? { timeoutMs: CREATE_TIMEOUT_MS } : {};
    const sent = { headers, body, ...limit };
    return call<Generation>({ method: "POST", path: all, needs: ["id"], ...sent }, options);
  };

  return {
    create: (request: object, options: CreateImageOptions = {}) => send(request, options),
    createAndWait: async (request: object, options?: CreateOptions & WaitOptions<Generation>) => {
      const given = { ...options, respondAsync: kind === "images" };
      const { id } = await send(request, given, CALL_OPTIONS);
      return waitForCreated(id, options ?? {});
    },
    retrieve: (id: string, options?: CallOptions) => call<Generation>({ path: one, id }, options),
    list: (filter?: object, options?: CallOptions) => list<Generation>(all, filter, options),
    cancel: (id: string, options?: CallOptions) =>
      call<Generation>({ method: "POST", path: `${one}/cancel`, id }, options),
    delete: (id: string, options?: CallOptions) =>
      call<void>({ method: "DELETE", path: one, id }, options),
    wait: async (id: string, options: WaitOptions<Generation> = {}) => {
      checkOptions(options, CALL_OPTIONS);
      return wait(id, options);
    },
    async *watch(id: string, options?: CallOptions) {
      const headers = { accept: "text/event-stream" };
      const stream = { path: one, id, headers, isStreamed: true, outageMs: OUTAGE_MS };
      try {
        yield* watch<Generation>(() => call(stream, options).asResponse(), timing, options?.signal);
      } catch (error) {
        throw withGenerationId(error, id);
      }
    },
  };
}
