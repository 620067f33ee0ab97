/** The provider: its models by id. */
import {
  LoadAPIKeyError,
  LoadSettingError,
  NoSuchModelError,
  type Experimental_VideoModelV4 as VideoModelV4,
  type ImageModelV4,
} from "@ai-sdk/provider";
import { checkOptions, CLIENT_OPTIONS } from "../typescript/http/connection.ts";
import { apiKeyOf, serviceUrl } from "../typescript/http/settings.ts";
import {
  ArgumentError,
  createClient,
  type ClientOptions,
  type ImageModelId,
  type VideoModelId,
} from "../typescript/index.ts";
import { inOwnWords, type Service } from "./calls.ts";
import { imageModel } from "./image-model.ts";
import { videoModel } from "./video-model.ts";

/** The options of the client; only `baseURL` is written as the AI SDK writes it. */
export type MediaGenerationSettings = Omit<ClientOptions, "baseUrl"> & {
  /**
   * The service's URL, e.g. https://media.example.com/v1; `/v1` is added to one without a path. Default: the environment
   * variable `MEDIA_BASE_URL`, else the service from which npm installed the package.
   */
  baseURL?: string;
};

/** A `ProviderV4`, for registries too. */
export type MediaGenerationProvider = {
  specificationVersion: "v4";
  image: (modelId: ImageModelId) => ImageModelV4;
  imageModel: (modelId: ImageModelId) => ImageModelV4;
  video: (modelId: VideoModelId) => VideoModelV4;
  videoModel: (modelId: VideoModelId) => VideoModelV4;
  /** Throws NoSuchModelError. */
  languageModel: (modelId: string) => never;
  /** Throws NoSuchModelError. */
  embeddingModel: (modelId: string) => never;
};

/** As many as an outage of about a minute takes. */
const OUTAGE_ATTEMPTS = 14;

/**
 * The key and the URL are needed when a model is first used: only then does it throw LoadAPIKeyError or LoadSettingError where
 * they are missing, and ArgumentError for a wrong setting.
 */
export function createMediaGeneration(
  settings: MediaGenerationSettings = {},
): MediaGenerationProvider {
  const { baseURL, ...options } = settings;
  let opened: Service | undefined;
  const service = () =>
    (opened ??= openedWith(baseURL === undefined ? options : { ...options, baseUrl: baseURL }));
  const image = (modelId: string) => imageModel(service, modelId);
  const { maxAttempts = OUTAGE_ATTEMPTS } = settings;
  const video = (modelId: string) => videoModel(service, modelId, maxAttempts);
  return {
    specificationVersion: "v4",
    image,
    imageModel: image,
    video,
    videoModel: video,
    languageModel: (modelId) => none("languageModel", modelId),
    embeddingModel: (modelId) => none("embeddingModel", modelId),
  };
}

/** The provider of the service and the key in the environment. */
export const mediaGeneration: MediaGenerationProvider = createMediaGeneration();

function openedWith(options: ClientOptions): Service {
  const wordsOf = (cause: unknown) => inOwnWords((cause as Error).message);
  try {
    checkOptions(options, CLIENT_OPTIONS);
  } catch (cause) {
    throw new ArgumentError(wordsOf(cause), { cause });
  }
  let base: string;
  try {
    base = serviceUrl(options.baseUrl);
  } catch (cause) {
    throw Object.assign(new LoadSettingError({ message: wordsOf(cause) }), { cause });
  }
  try {
    apiKeyOf(options.apiKey);
  } catch (cause) {
    throw Object.assign(new LoadAPIKeyError({ message: wordsOf(cause) }), { cause });
  }
  return { client: createClient(options), urlOf: (path) => `${base}${path}` };
}

function none(modelType: "languageModel" | "embeddingModel", modelId: string): never {
  throw new NoSuchModelError({ modelId, modelType });
}
