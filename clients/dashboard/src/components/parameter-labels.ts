/** How the optional fields that models declare are called. */
export const PARAMETER_LABELS: Readonly<Record<string, string>> = {
  resolution: "Resolution",
  audio: "Sound",
  prompt_extend: "Prompt may be rewritten",
  last_image_url: "URL of the last frame",
  video_url: "URL of a video to extend or edit",
  n: "Images",
  mask_url: "URL of a mask for the first reference image",
  background: "Background",
  output_format: "Format",
};
