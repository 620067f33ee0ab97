/** The functions of images. */
import type { ApiPromise, Result } from "../http/api-promise.ts";
import type { CallOptions, Connection } from "../http/connection.ts";
import { idempotencyHeader, type CreateOptions } from "../http/idempotency.ts";
import { listing, pageQuery, type Listing } from "../http/pages.ts";
import type { ImageInputs, ImageModelId, ImageRequest } from "../http/requests.ts";
import type { Image, ImageBody, ImageFilter } from "../http/types.ts";
import { succeeded, type WaitOptions } from "../http/wait.ts";
import { sendPictures } from "./files.ts";
import { waitForGeneration } from "./wait-for-generation.ts";

/**
 * `respondAsync`: resolve with the pending image as soon as its price is reserved, as createVideo does, instead of holding
 * the request until the image is finished.
 */
export type CreateImageOptions = CreateOptions & { respondAsync?: boolean };

export type ImageFunctions = {
  /**
   * Resolves with the finished image. Throws a GenerationError if it failed or was canceled, and one with the code
   * `generation_timeout` if it is not finished after two minutes. With `respondAsync` it resolves at once, with any status.
   */
  createImage: <Id extends ImageModelId>(
    request: { model: Id } & ImageInputs<Id>,
    options?: CreateImageOptions,
  ) => ApiPromise<Image>;
  /** createImage with `respondAsync`, then waitForImage, as createVideoAndWait does: no request takes longer than a minute. */
  createImageAndWait: <Id extends ImageModelId>(
    request: { model: Id } & ImageInputs<Id>,
    options?: CreateOptions & WaitOptions<Image>,
  ) => Promise<Result<Image>>;
  retrieveImage: (id: string, options?: CallOptions) => ApiPromise<Image>;
  listImages: (filter?: ImageFilter, options?: CallOptions) => Listing<Image>;
  /** Like cancelVideo. An image that is being made within one call of its upstream cannot be stopped. */
  cancelImage: (id: string, options?: CallOptions) => ApiPromise<Image>;
  /** Like deleteVideo. */
  deleteImage: (id: string, options?: CallOptions) => ApiPromise<void>;
  /** Resolves when the status is `success`, `failed` or `canceled`; it throws for none of them. */
  waitForImage: (id: string, options?: WaitOptions<Image>) => Promise<Result<Image>>;
};

const CREATE_TIMEOUT_MS = 150_000;

export function imageFunctions(connection: Connection): ImageFunctions {
  const { http, sending, answer } = connection;
  const createImage = (
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

  const waitForImage: ImageFunctions["waitForImage"] = (id, options) =>
    waitForGeneration<Image>(connection, "/images/generations/{id}", id, options);

  return {
    createImage,
    createImageAndWait: async (request, options) => {
      const { id } = await createImage(request, { ...options, respondAsync: true });
      return succeeded(await waitForImage(id, options));
    },
    retrieveImage: (id, options) =>
      answer(
        http.GET("/images/generations/{id}", { params: { path: { id } }, ...sending(options) }),
      ),
    listImages: (filter, options) =>
      listing((after) =>
        answer(
          http.GET("/images/generations", {
            params: { query: pageQuery(filter, after) },
            ...sending(options),
          }),
        ),
      ),
    cancelImage: (id, options) =>
      answer(
        http.POST("/images/generations/{id}/cancel", {
          params: { path: { id } },
          ...sending(options),
        }),
      ),
    deleteImage: (id, options) =>
      answer<void>(
        http.DELETE("/images/generations/{id}", { params: { path: { id } }, ...sending(options) }),
      ),
    waitForImage,
  };
}
