/** The functions of images. */
import type { ApiPromise, Result } from "../http/api-promise.ts";
import type { CallOptions, Connection } from "../http/connection.ts";
import { ApiError } from "../http/api-error.ts";
import { idempotencyHeader, type CreateOptions } from "../http/idempotency.ts";
import { listing, pageQuery, type Listing } from "../http/pages.ts";
import type { ImageInputs, ImageModelId, ImageRequest } from "../http/requests.ts";
import type { Image, ImageBody, ImageFilter } from "../http/types.ts";
import { succeeded, waitUntilFinished, type WaitOptions } from "../http/wait.ts";
import { sendPictures } from "./files.ts";

export type ImageFunctions = {
  /**
   * Resolves with the finished image. Throws a GenerationError if it failed, and one with the code
   * `generation_timeout` if it is not finished after two minutes.
   */
  createImage: <Id extends ImageModelId>(
    request: { model: Id } & ImageInputs<Id>,
    options?: CreateOptions,
  ) => ApiPromise<Image>;
  /** createImage, which goes on waiting where that would throw `generation_timeout`. */
  createImageAndWait: <Id extends ImageModelId>(
    request: { model: Id } & ImageInputs<Id>,
    options?: CreateOptions & WaitOptions<Image>,
  ) => Promise<Result<Image>>;
  retrieveImage: (id: string, options?: CallOptions) => ApiPromise<Image>;
  listImages: (filter?: ImageFilter, options?: CallOptions) => Listing<Image>;
  /** Like deleteVideo. */
  deleteImage: (id: string, options?: CallOptions) => ApiPromise<void>;
  /**
   * For an image whose createImage was interrupted: resolves when its status is `success` or `failed`; it throws for
   * neither.
   */
  waitForImage: (id: string, options?: WaitOptions<Image>) => Promise<Result<Image>>;
};

const CREATE_TIMEOUT_MS = 150_000;

export function imageFunctions(connection: Connection): ImageFunctions {
  const { http, timing, sending, answer } = connection;
  const createImage = (request: ImageRequest, options?: CreateOptions): ApiPromise<Image> => {
    const header = idempotencyHeader(options);
    return answer(
      sendPictures<ImageBody>(connection, request, header, options).then((body) =>
        http.POST("/images/generations", {
          body,
          params: { header },
          ...sending(options, { timeoutMs: CREATE_TIMEOUT_MS }),
        }),
      ),
    );
  };

  const retrieveImage: ImageFunctions["retrieveImage"] = (id, options) =>
    answer(http.GET("/images/generations/{id}", { params: { path: { id } }, ...sending(options) }));

  const waitForImage: ImageFunctions["waitForImage"] = (id, options = {}) =>
    waitUntilFinished(
      async () => ({ generation: await retrieveImage(id, options), isHeld: false }),
      options,
      timing,
    );

  return {
    createImage,
    createImageAndWait: async (request, options) => {
      try {
        return await createImage(request, options);
      } catch (error) {
        const id = isUnfinished(error) ? error.details.generation_id : undefined;
        if (id === undefined) throw error;
        return succeeded(await waitForImage(id, options));
      }
    },
    retrieveImage,
    listImages: (filter, options) =>
      listing((after) =>
        answer(
          http.GET("/images/generations", {
            params: { query: pageQuery(filter, after) },
            ...sending(options),
          }),
        ),
      ),
    deleteImage: (id, options) =>
      answer<void>(
        http.DELETE("/images/generations/{id}", { params: { path: { id } }, ...sending(options) }),
      ),
    waitForImage,
  };
}

function isUnfinished(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === "generation_timeout";
}
