/** Made by `npm run gen` from openapi/media.yaml: the words that filters of lists take. */
export const EVENT_TYPES = ["video.generation.completed","video.generation.failed","video.generation.canceled","image.generation.completed","image.generation.failed","image.generation.canceled","balance.low","limit.reached","webhook.test"] as const;
