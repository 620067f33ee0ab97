/** The functions of videos. */
import type { ApiPromise, Result } from "../http/api-promise.ts";
import type { CallOptions, Connection } from "../http/connection.ts";
import { idempotencyHeader, type CreateOptions } from "../http/idempotency.ts";
import { listing, pageQuery, type Listing } from "../http/pages.ts";
import type { VideoInputs, VideoModelId, VideoRequest } from "../http/requests.ts";
import type { Video, VideoBody, VideoFilter } from "../http/types.ts";
import type { WaitOptions } from "../http/wait.ts";
import { sendPictures } from "./files.ts";
import { watchFunction, type Watch } from "./watches.ts";
import { waitFunctions } from "./wait-for-generation.ts";

export type Videos = Watch<Video> & {
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
  ) => Promise<Result<Video>>;
  /** The video as it is now, with any status. Throws a NotFoundError where there is none, or it was deleted. */
  retrieve: (id: string, options?: CallOptions) => ApiPromise<Video>;
  /** The videos of the account in the mode of the key, newest first: all of them with `for await`. */
  list: (filter?: VideoFilter, options?: CallOptions) => Listing<Video>;
  /** Throws a ConflictError `not_cancelable` or `already_finished` where it is too late. */
  cancel: (id: string, options?: CallOptions) => ApiPromise<Video>;
  /**
   * Deletes an ended video: files, input and webhooks; also one that is deleted already. Throws a ConflictError
   * `not_finished` before its end.
   */
  delete: (id: string, options?: CallOptions) => ApiPromise<void>;
  /** Resolves when the status is `success`, `failed` or `canceled`; it throws for none of them. */
  wait: (id: string, options?: WaitOptions<Video>) => Promise<Result<Video>>;
};

export function videos(connection: Connection): Videos {
  const { http, sending, answer } = connection;
  const create = (request: VideoRequest, options?: CreateOptions): ApiPromise<Video> => {
    const header = idempotencyHeader(options);
    return answer(
      sendPictures<VideoBody>(connection, request, header, options).then((body) =>
        http.POST("/videos/generations", {
          body,
          params: { header },
          ...sending(options),
        }),
      ),
    );
  };

  const { wait, waitForCreated } = waitFunctions<Video>(connection, "videos");

  return {
    create,
    createAndWait: async (request, options) => {
      const { id } = await create(request, options);
      return waitForCreated(id, options);
    },
    retrieve: (id, options) =>
      answer(
        http.GET("/videos/generations/{id}", { params: { path: { id } }, ...sending(options) }),
      ),
    list: (filter, options) =>
      listing((after) =>
        answer(
          http.GET("/videos/generations", {
            params: { query: pageQuery(filter, after) },
            ...sending(options),
          }),
        ),
      ),
    cancel: (id, options) =>
      answer(
        http.POST("/videos/generations/{id}/cancel", {
          params: { path: { id } },
          ...sending(options),
        }),
      ),
    delete: (id, options) =>
      answer<void>(
        http.DELETE("/videos/generations/{id}", { params: { path: { id } }, ...sending(options) }),
      ),
    wait,
    watch: watchFunction<Video>(connection, "/videos/generations/{id}"),
  };
}
