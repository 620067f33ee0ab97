/** The client of the public API: one function for each operation, and functions that wait for generations. */
import { openConnection } from "./connection.ts";
import type { CallOptions, ClientOptions } from "./connection.ts";
import { listing } from "./pages.ts";
import type { Listing } from "./pages.ts";
import type {
  Balance,
  Delivery,
  DeliveryFilter,
  Image,
  ImageFilter,
  ImageRequest,
  Model,
  Transaction,
  TransactionFilter,
  Video,
  VideoFilter,
  VideoRequest,
} from "./types.ts";
import { waitUntilFinished } from "./wait.ts";
import type { WaitOptions } from "./wait.ts";

/** `idempotencyKey`: 1 to 191 characters. By default a new one for each call, used by all its attempts. */
export type CreateOptions = CallOptions & { idempotencyKey?: string };

/** Every function throws ApiError, ConnectionError, or the reason of an aborted signal. */
export type Client = {
  /** Reserves the price and resolves with the pending generation. */
  createVideo: (request: VideoRequest, options?: CreateOptions) => Promise<Video>;
  retrieveVideo: (id: string, options?: CallOptions) => Promise<Video>;
  listVideos: (filter?: VideoFilter, options?: CallOptions) => Listing<Video>;
  /** Throws an ApiError 409 `not_cancelable` or `already_finished` where it is too late. */
  cancelVideo: (id: string, options?: CallOptions) => Promise<Video>;
  /**
   * Deletes an ended video: files, input and webhooks; also one that is deleted already. Throws an ApiError 409
   * `not_finished` before its end.
   */
  deleteVideo: (id: string, options?: CallOptions) => Promise<void>;
  /** Resolves when the status is `success`, `failed` or `canceled`. */
  waitForVideo: (id: string, options?: WaitOptions<Video>) => Promise<Video>;
  /** Resolves with the finished image. Throws an ApiError of type `generation_error` if it failed. */
  createImage: (request: ImageRequest, options?: CreateOptions) => Promise<Image>;
  retrieveImage: (id: string, options?: CallOptions) => Promise<Image>;
  listImages: (filter?: ImageFilter, options?: CallOptions) => Listing<Image>;
  /** Like deleteVideo. */
  deleteImage: (id: string, options?: CallOptions) => Promise<void>;
  /** For an image whose createImage was interrupted: resolves when its status is `success` or `failed`. */
  waitForImage: (id: string, options?: WaitOptions<Image>) => Promise<Image>;
  listModels: (options?: CallOptions) => Promise<Model[]>;
  retrieveModel: (id: string, options?: CallOptions) => Promise<Model>;
  retrieveBalance: (options?: CallOptions) => Promise<Balance>;
  listTransactions: (filter?: TransactionFilter, options?: CallOptions) => Listing<Transaction>;
  listDeliveries: (filter?: DeliveryFilter, options?: CallOptions) => Listing<Delivery>;
  retrieveDelivery: (id: string, options?: CallOptions) => Promise<Delivery>;
  /** Makes another attempt immediately. */
  redeliver: (id: string, options?: CallOptions) => Promise<Delivery>;
};

const IMAGE_TIMEOUT_MS = 150_000;

export function createClient(clientOptions: ClientOptions): Client {
  const {
    http,
    timing,
    sendOptions: sendAs,
    dataAndHold: held,
    dataOf,
  } = openConnection(clientOptions);
  const repeatable = (options?: CallOptions, extraMs = 0) =>
    sendAs({ isRepeatable: true, extraMs, ...options });

  const retrieveImage: Client["retrieveImage"] = (id, options) =>
    dataOf(
      http.GET("/images/generations/{id}", { params: { path: { id } }, ...repeatable(options) }),
    );

  return {
    createVideo: (body, { idempotencyKey, ...options } = {}) =>
      dataOf(
        http.POST("/videos/generations", {
          body,
          params: { header: idempotencyHeader(idempotencyKey) },
          ...repeatable(options),
        }),
      ),
    retrieveVideo: (id, options) =>
      dataOf(
        http.GET("/videos/generations/{id}", { params: { path: { id } }, ...repeatable(options) }),
      ),
    listVideos: (filter, options) =>
      listing((after) =>
        dataOf(
          http.GET("/videos/generations", {
            params: { query: pageQuery(filter, after) },
            ...repeatable(options),
          }),
        ),
      ),
    cancelVideo: (id, options) =>
      dataOf(
        http.POST("/videos/generations/{id}/cancel", {
          params: { path: { id } },
          ...repeatable(options),
        }),
      ),
    deleteVideo: (id, options) =>
      dataOf<void>(
        http.DELETE("/videos/generations/{id}", {
          params: { path: { id } },
          ...repeatable(options),
        }),
      ),
    waitForVideo: (id, options = {}) =>
      waitUntilFinished(
        async (holdSeconds) => {
          const header = holdSeconds > 0 ? { Prefer: `wait=${holdSeconds}` } : {};
          return held(
            http.GET("/videos/generations/{id}", {
              params: { path: { id }, header },
              ...repeatable(signalOf(options), holdSeconds * 1_000),
            }),
          );
        },
        options,
        timing,
      ),
    createImage: (body, { idempotencyKey, ...options } = {}) =>
      dataOf(
        http.POST("/images/generations", {
          body,
          params: { header: idempotencyHeader(idempotencyKey) },
          ...repeatable({ timeoutMs: IMAGE_TIMEOUT_MS, ...options }),
        }),
      ),
    retrieveImage,
    listImages: (filter, options) =>
      listing((after) =>
        dataOf(
          http.GET("/images/generations", {
            params: { query: pageQuery(filter, after) },
            ...repeatable(options),
          }),
        ),
      ),
    deleteImage: (id, options) =>
      dataOf<void>(
        http.DELETE("/images/generations/{id}", {
          params: { path: { id } },
          ...repeatable(options),
        }),
      ),
    waitForImage: (id, options = {}) =>
      waitUntilFinished(
        async () => ({ generation: await retrieveImage(id, signalOf(options)), isHeld: false }),
        options,
        timing,
      ),
    listModels: async (options) => (await dataOf(http.GET("/models", repeatable(options)))).data,
    retrieveModel: (id, options) =>
      dataOf(http.GET("/models/{id}", { params: { path: { id } }, ...repeatable(options) })),
    retrieveBalance: (options) => dataOf(http.GET("/balance", repeatable(options))),
    listTransactions: (filter, options) =>
      listing((after) =>
        dataOf(
          http.GET("/transactions", {
            params: { query: pageQuery(filter, after) },
            ...repeatable(options),
          }),
        ),
      ),
    listDeliveries: (filter, options) =>
      listing((after) =>
        dataOf(
          http.GET("/webhooks/deliveries", {
            params: { query: pageQuery(filter, after) },
            ...repeatable(options),
          }),
        ),
      ),
    retrieveDelivery: (id, options) =>
      dataOf(
        http.GET("/webhooks/deliveries/{id}", { params: { path: { id } }, ...repeatable(options) }),
      ),
    redeliver: (id, options) =>
      dataOf(
        http.POST("/webhooks/deliveries/{id}/redeliver", {
          params: { path: { id } },
          ...sendAs({ isRepeatable: false, ...options }),
        }),
      ),
  };
}

function idempotencyHeader(idempotencyKey: string = crypto.randomUUID()) {
  return { "Idempotency-Key": idempotencyKey };
}

function pageQuery<T extends object>(filter: T | undefined, after: string | undefined) {
  return { ...filter, ...(after === undefined ? {} : { after }) } as T & { after?: string };
}

function signalOf({ signal }: { signal?: AbortSignal }): CallOptions {
  return signal ? { signal } : {};
}
