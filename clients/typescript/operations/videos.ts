/** The functions of videos. */
import type { ApiPromise, Result } from "../http/api-promise.ts";
import type { CallOptions, Connection } from "../http/connection.ts";
import { idempotencyHeader, type CreateOptions } from "../http/idempotency.ts";
import { listing, pageQuery, type Listing } from "../http/pages.ts";
import type { VideoInputs, VideoModelId, VideoRequest } from "../http/requests.ts";
import type { Video, VideoBody, VideoFilter } from "../http/types.ts";
import { succeeded, type WaitOptions } from "../http/wait.ts";
import { sendPictures } from "./files.ts";
import { waitForGeneration } from "./wait-for-generation.ts";

export type VideoFunctions = {
  /** Reserves the price and resolves with the pending generation. */
  createVideo: <Id extends VideoModelId>(
    request: { model: Id } & VideoInputs<Id>,
    options?: CreateOptions,
  ) => ApiPromise<Video>;
  /**
   * createVideo, then waitForVideo: resolves with the video once it succeeded. Throws a GenerationError if it failed, with
   * the generation's id in `details`, and a GenerationCanceledError if it was canceled.
   */
  createVideoAndWait: <Id extends VideoModelId>(
    request: { model: Id } & VideoInputs<Id>,
    options?: CreateOptions & WaitOptions<Video>,
  ) => Promise<Result<Video>>;
  retrieveVideo: (id: string, options?: CallOptions) => ApiPromise<Video>;
  listVideos: (filter?: VideoFilter, options?: CallOptions) => Listing<Video>;
  /** Throws a ConflictError `not_cancelable` or `already_finished` where it is too late. */
  cancelVideo: (id: string, options?: CallOptions) => ApiPromise<Video>;
  /**
   * Deletes an ended video: files, input and webhooks; also one that is deleted already. Throws a ConflictError
   * `not_finished` before its end.
   */
  deleteVideo: (id: string, options?: CallOptions) => ApiPromise<void>;
  /** Resolves when the status is `success`, `failed` or `canceled`; it throws for none of them. */
  waitForVideo: (id: string, options?: WaitOptions<Video>) => Promise<Result<Video>>;
};

export function videoFunctions(connection: Connection): VideoFunctions {
  const { http, sending, answer } = connection;
  const createVideo = (request: VideoRequest, options?: CreateOptions): ApiPromise<Video> => {
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

  const waitForVideo: VideoFunctions["waitForVideo"] = (id, options) =>
    waitForGeneration<Video>(connection, "/videos/generations/{id}", id, options);

  return {
    createVideo,
    createVideoAndWait: async (request, options) => {
      const { id } = await createVideo(request, options);
      return succeeded(await waitForVideo(id, options));
    },
    retrieveVideo: (id, options) =>
      answer(
        http.GET("/videos/generations/{id}", { params: { path: { id } }, ...sending(options) }),
      ),
    listVideos: (filter, options) =>
      listing((after) =>
        answer(
          http.GET("/videos/generations", {
            params: { query: pageQuery(filter, after) },
            ...sending(options),
          }),
        ),
      ),
    cancelVideo: (id, options) =>
      answer(
        http.POST("/videos/generations/{id}/cancel", {
          params: { path: { id } },
          ...sending(options),
        }),
      ),
    deleteVideo: (id, options) =>
      answer<void>(
        http.DELETE("/videos/generations/{id}", { params: { path: { id } }, ...sending(options) }),
      ),
    waitForVideo,
  };
}
