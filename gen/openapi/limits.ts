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
