/** The provider's public exports. */
export { createMediaGeneration, mediaGeneration } from "./provider.ts";
export type { MediaGenerationProvider, MediaGenerationSettings } from "./provider.ts";
export { ArgumentError, WaitStoppedError } from "../typescript/index.ts";
export type { ImageOptions } from "./image-model.ts";
export type { VideoOptions } from "./video-model.ts";
