/** The functions of images. */
import type { ApiPromise, Result } from "../http/api-promise.ts";
import type { CallOptions, Connection } from "../http/connection.ts";
import { idempotencyHeader, type CreateOptions } from "../http/idempotency.ts";
import { listing, pageQuery, type Listing } from "../http/pages.ts";
import type { ImageInputs, ImageModelId, ImageRequest } from "../http/requests.ts";
import type { Image, ImageBody, ImageFilter } from "../http/types.ts";
import type { WaitOptions } from "../http/wait.ts";
import { sendPictures } from "./files.ts";
import { watchFunction, type Watch } from "./watches.ts";
import { waitFunctions } from "./wait-for-generation.ts";

export type CreateImageOptions = CreateOptions & {
  /**
   * Resolve with the pending image as soon as its price is reserved, as for a video, instead of holding the request until the
   * image is finished.
   */
  respondAsync?: boolean;
};

export type Images = Watch<Image> & {
  /**
   * Resolves with the finished image. Throws a GenerationError if it failed or was canceled, and one with the code
   * `generation_timeout` if it is not finished after two minutes. With `respondAsync` it resolves at once, with any status.
   * A request that is put together before, of a model that is known only then, is of the type `ImageRequest`.
   */
  create: <Id extends ImageModelId>(
    request: { model: Id } & ImageInputs<Id>,
    options?: CreateImageOptions,
  ) => ApiPromise<Image>;
  /** `create` with `respondAsync`, then `wait`, as for a video: no request takes longer than a minute. */
  createAndWait: <Id extends ImageModelId>(
    request: { model: Id } & ImageInputs<Id>,
    options?: CreateOptions & WaitOptions<Image>,
  ) => Promise<Result<Image>>;
  /** The image as it is now, with any status. Throws a NotFoundError where there is none, or it was deleted. */
  retrieve: (id: string, options?: CallOptions) => ApiPromise<Image>;
  /** The images of the account in the mode of the key, newest first: all of them with `for await`. */
  list: (filter?: ImageFilter, options?: CallOptions) => Listing<Image>;
  /** As for a video. An image that is being made within one call of its upstream cannot be stopped. */
  cancel: (id: string, options?: CallOptions) => ApiPromise<Image>;
  /** As for a video. */
  delete: (id: string, options?: CallOptions) => ApiPromise<void>;
  /** Resolves when the status is `success`, `failed` or `canceled`; it throws for none of them. */
  wait: (id: string, options?: WaitOptions<Image>) => Promise<Result<Image>>;
};

const CREATE_TIMEOUT_MS = 150_000;

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

  const { wait, waitForCreated } = waitFunctions<Image>(connection, "images");

  return {
    create,
    createAndWait: async (request, options) => {
      const { id } = await create(request, { ...options, respondAsync: true });
      return waitForCreated(id, options);
    },
    retrieve: (id, options) =>
      answer(
        http.GET("/images/generations/{id}", { params: { path: { id } }, ...sending(options) }),
      ),
    list: (filter, options) =>
      listing((after) =>
        answer(
          http.GET("/images/generations", {
            params: { query: pageQuery(filter, after) },
            ...sending(options),
          }),
        ),
      ),
    cancel: (id, options) =>
      answer(
        http.POST("/images/generations/{id}/cancel", {
          params: { path: { id } },
          ...sending(options),
        }),
      ),
    delete: (id, options) =>
      answer<void>(
        http.DELETE("/images/generations/{id}", { params: { path: { id } }, ...sending(options) }),
      ),
    wait,
    watch: watchFunction<Image>(connection, "/images/generations/{id}"),
  };
}
