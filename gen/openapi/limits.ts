/** Made by `npm run gen` from openapi/media.yaml and openapi/dashboard.yaml. */
export const GENERATION_LIMITS = {
  model: 100,
  prompt: 5000,
  negative_prompt: 2000,
  seed: 2147483647,
  n: 4,
  mask_url: 2048,
  webhook_url: 2048,
  image_url: 2048,
  duration: 3600,
  last_image_url: 2048,
  video_url: 2048,
} as const;

export const REQUEST_LIMITS = {
  tokens: 1000000000,
  message: 2000,
} as const;

export const DASHBOARD_LIMITS = {
  search: 200,
  endUser: 64,
  deliveryUrl: 1000,
  limitTokens: 1000000000000000,
  keyModels: 50,
} as const;

export const EVENT_TYPES = ["video.generation.completed","video.generation.failed","video.generation.canceled","image.generation.completed","image.generation.failed","image.generation.canceled","balance.low","limit.reached","webhook.test"] as const;
export const ERROR_STATUSES = ["400","401","402","403","404","405","409","410","413","415","422","429","500","502","503","504"] as const;
