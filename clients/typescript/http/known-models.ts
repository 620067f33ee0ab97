/** Made by `npm run gen` from services/generation/catalog/models.json, and the fields that take pictures from openapi/media.yaml. */

export interface KnownVideoModels {
  "alpha-2.0": { values: { duration: 5 | 10 | 15; aspect_ratio: "16:9" | "9:16" | "1:1" | "4:3" | "3:4" | "21:9"; resolution: "720P" }; refused: "reference_images" | "video_url"; required: never };
  "alpha-2.0-fast": { values: { duration: 5 | 10 | 15; aspect_ratio: "16:9" | "9:16" | "1:1" | "4:3" | "3:4" | "21:9"; resolution: "720P" }; refused: "reference_images" | "video_url"; required: never };
  "alpha-2.0-mini": { values: { duration: 5 | 10 | 15; aspect_ratio: "16:9" | "9:16" | "1:1" | "4:3" | "3:4" | "21:9"; resolution: "720P" }; refused: "reference_images" | "video_url"; required: never };
  "beta-2.7-text-to-video": { values: { duration: 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15; aspect_ratio: "16:9" | "9:16" | "1:1" | "4:3" | "3:4"; resolution: "720P" }; refused: "image_url" | "audio" | "last_image_url" | "reference_images" | "video_url"; required: never };
  "beta-2.7-image-to-video": { values: { duration: 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15; aspect_ratio: "16:9" | "9:16" | "1:1" | "4:3" | "3:4"; resolution: "720P" }; refused: "audio" | "reference_images" | "video_url"; required: "image_url" };
  "beta-3.0-video": { values: { duration: 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20 | 21 | 22 | 23 | 24 | 25 | 26 | 27 | 28 | 29 | 30; aspect_ratio: "16:9" | "9:16" | "1:1" | "4:3" | "3:4"; resolution: "720P" }; refused: "audio" | "last_image_url" | "reference_images" | "video_url"; required: never };
}

export interface KnownImageModels {
  "gamma-image-3.0-pro": { values: { size: "1024x1024" | "1280x720" | "720x1280" | "1152x864" | "864x1152" | "2048x2048" | "2560x1440" | "1440x2560" | "2304x1728" | "1728x2304"; n: 1 | 2 | 3 | 4; background: "opaque" | "transparent"; output_format: "png" | "jpeg" | "webp" }; refused: "mask_url"; required: never };
}

export const PICTURE_FIELDS: Record<"videos" | "images", Record<string, "one" | "list">> = {"videos":{"image_url":"one","last_image_url":"one","reference_images":"list"},"images":{"image_urls":"list","mask_url":"one"}};
/** Those that a model of the catalog takes. */
export const OFFERED_PICTURES: Record<"videos" | "images", string[]> = {"videos":["image_url","last_image_url"],"images":["image_urls"]};
