/** Made by `npm run gen` from openapi/media.yaml: the words that filters of lists take. */
export const EVENT_TYPES = ["video.generation.completed","video.generation.failed","video.generation.canceled","image.generation.completed","image.generation.failed","image.generation.canceled","balance.low","limit.reached","webhook.test"] as const;
export const ERROR_STATUSES = ["400","401","402","403","404","405","409","410","413","415","422","429","500","502","503","504"] as const;
