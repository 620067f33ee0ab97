/** Made by `npm run gen` from openapi/media.yaml. */
export const TEXT_LIMITS = {
  model: 100,
  prompt: 5000,
  negative_prompt: 2000,
  image_url: 2048,
  webhook_url: 2048,
} as const;
