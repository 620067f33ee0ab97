/** Made by `npm run gen` from openapi/media.yaml: the fields of creates, and the property of a model that says whether it takes them. */
export type CreateField = {
  readonly name: string;
  /** Absent where every model takes the field. */
  readonly property?: "inputs" | "durations" | "aspect_ratios" | "sizes" | "parameters";
};

export const CREATE_FIELDS: Readonly<Record<"video" | "image", readonly CreateField[]>> = {
  video: [
    { name: "model" },
    { name: "prompt" },
    { name: "image_url", property: "inputs" },
    { name: "duration", property: "durations" },
    { name: "aspect_ratio", property: "aspect_ratios" },
    { name: "negative_prompt" },
    { name: "seed", property: "parameters" },
    { name: "resolution", property: "parameters" },
    { name: "audio", property: "parameters" },
    { name: "last_image_url", property: "parameters" },
    { name: "reference_images", property: "parameters" },
    { name: "video_url", property: "parameters" },
    { name: "webhook_url" },
    { name: "end_user" },
    { name: "metadata" },
  ],
  image: [
    { name: "model" },
    { name: "prompt" },
    { name: "image_urls", property: "inputs" },
    { name: "size", property: "sizes" },
    { name: "negative_prompt" },
    { name: "prompt_extend", property: "parameters" },
    { name: "seed", property: "parameters" },
    { name: "n", property: "parameters" },
    { name: "mask_url", property: "parameters" },
    { name: "background", property: "parameters" },
    { name: "output_format", property: "parameters" },
    { name: "webhook_url" },
    { name: "end_user" },
    { name: "metadata" },
  ],
};
