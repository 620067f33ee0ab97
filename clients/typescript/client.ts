/** The client of the public API: one function for each operation, and waiting for what takes time. */
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
import { waitForEnd } from "./wait.ts";
import type { WaitOptions } from "./wait.ts";

/** `idempotencyKey`: 1 to 191 characters; by default a new one for each call, the same for all of its attempts. */
export type CreateOptions = CallOptions & { idempotencyKey?: string };

/** Everything here throws ApiError, ConnectionError, or the reason of an aborted signal. */
export type Client = {
  /** Reserves the price and starts; the answer is a pending generation. */
  createVideo: (request: VideoRequest, options?: CreateOptions) => Promise<Video>;
  retrieveVideo: (id: string, options?: CallOptions) => Promise<Video>;
  listVideos: (filter?: VideoFilter, options?: CallOptions) => Listing<Video>;
  /** Throws 409 `not_cancelable` or `already_finished` where it is too late. */
  cancelVideo: (id: string, options?: CallOptions) => Promise<Video>;
  /** Resolves when the status is `success`, `failed` or `canceled`. */
  waitForVideo: (id: string, options?: WaitOptions<Video>) => Promise<Video>;
  /** Resolves with the finished image; throws an ApiError of type `generation_error` where it failed. */
  createImage: (request: ImageRequest, options?: CreateOptions) => Promise<Image>;
  retrieveImage: (id: string, options?: CallOptions) => Promise<Image>;
  listImages: (filter?: ImageFilter, options?: CallOptions) => Listing<Image>;
  /** For an image whose createImage was cut off: resolves when its status is `success` or `failed`. */
  waitForImage: (id: string, options?: WaitOptions<Image>) => Promise<Image>;
  listModels: (options?: CallOptions) => Promise<Model[]>;
  retrieveModel: (id: string, options?: CallOptions) => Promise<Model>;
  retrieveBalance: (options?: CallOptions) => Promise<Balance>;
  listTransactions: (filter?: TransactionFilter, options?: CallOptions) => Listing<Transaction>;
  listDeliveries: (filter?: DeliveryFilter, options?: CallOptions) => Listing<Delivery>;
  retrieveDelivery: (id: string, options?: CallOptions) => Promise<Delivery>;
  /** Adds an attempt at once. */
  redeliver: (id: string, options?: CallOptions) => Promise<Delivery>;
};

const IMAGE_TIMEOUT_MS = 150_000;

export function createClient(clientOptions: ClientOptions): Client {
  const { http, timing, sendAs, held, dataOf } = openConnection(clientOptions);
  const read = (options?: CallOptions, extraMs = 0) =>
    sendAs({ isRepeatable: true, extraMs, ...options });

  const retrieveImage: Client["retrieveImage"] = (id, options) =>
    dataOf(http.GET("/images/generations/{id}", { params: { path: { id } }, ...read(options) }));

  return {
    createVideo: (body, { idempotencyKey, ...options } = {}) =>
      dataOf(
        http.POST("/videos/generations", {
          body,
          params: { header: keyed(idempotencyKey) },
          ...read(options),
        }),
      ),
    retrieveVideo: (id, options) =>
      dataOf(http.GET("/videos/generations/{id}", { params: { path: { id } }, ...read(options) })),
    listVideos: (filter, options) =>
      listing((after) =>
        dataOf(
          http.GET("/videos/generations", {
            params: { query: following(filter, after) },
            ...read(options),
          }),
        ),
      ),
    cancelVideo: (id, options) =>
      dataOf(
        http.POST("/videos/generations/{id}/cancel", {
          params: { path: { id } },
          ...read(options),
        }),
      ),
    waitForVideo: (id, options = {}) =>
      waitForEnd(
        async (holdSeconds) => {
          const header = holdSeconds > 0 ? { Prefer: `wait=${holdSeconds}` } : {};
          return held(
            http.GET("/videos/generations/{id}", {
              params: { path: { id }, header },
              ...read(signalOf(options), holdSeconds * 1_000),
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
          params: { header: keyed(idempotencyKey) },
          ...read({ timeoutMs: IMAGE_TIMEOUT_MS, ...options }),
        }),
      ),
    retrieveImage,
    listImages: (filter, options) =>
      listing((after) =>
        dataOf(
          http.GET("/images/generations", {
            params: { query: following(filter, after) },
            ...read(options),
          }),
        ),
      ),
    waitForImage: (id, options = {}) =>
      waitForEnd(
        async () => ({ generation: await retrieveImage(id, signalOf(options)), isHeld: false }),
        options,
        timing,
      ),
    listModels: async (options) => (await dataOf(http.GET("/models", read(options)))).data,
    retrieveModel: (id, options) =>
      dataOf(http.GET("/models/{id}", { params: { path: { id } }, ...read(options) })),
    retrieveBalance: (options) => dataOf(http.GET("/balance", read(options))),
    listTransactions: (filter, options) =>
      listing((after) =>
        dataOf(
          http.GET("/transactions", {
            params: { query: following(filter, after) },
            ...read(options),
          }),
        ),
      ),
    listDeliveries: (filter, options) =>
      listing((after) =>
        dataOf(
          http.GET("/webhooks/deliveries", {
            params: { query: following(filter, after) },
            ...read(options),
          }),
        ),
      ),
    retrieveDelivery: (id, options) =>
      dataOf(http.GET("/webhooks/deliveries/{id}", { params: { path: { id } }, ...read(options) })),
    redeliver: (id, options) =>
      dataOf(
        http.POST("/webhooks/deliveries/{id}/redeliver", {
          params: { path: { id } },
          ...sendAs({ isRepeatable: false, ...options }),
        }),
      ),
  };
}

function keyed(idempotencyKey: string = crypto.randomUUID()) {
  return { "Idempotency-Key": idempotencyKey };
}

function following<T extends object>(filter: T | undefined, after: string | undefined) {
  return { ...filter, ...(after === undefined ? {} : { after }) } as T & { after?: string };
}

function signalOf({ signal }: { signal?: AbortSignal }): CallOptions {
  return signal ? { signal } : {};
}
