/** The URLs that a request names, each with the field that names it. */
import { isLikeAssetUrl } from "#vocabulary/public-values.ts";
import { inputFromJson, type GenerationRow } from "./generation.ts";
import { isVideo, type Input } from "./plan.ts";

/** `field`: the path of the public API, e.g. "image_urls[2]". */
export type InputUrl = { field: string; url: string };

/** The fields of a stored input that name what `pictureUrls` returns. */
export const PICTURE_FIELDS = ["image_url", "image_urls", "mask_url"];

/** The pictures that an upstream which takes bytes is given, in the order of `pictures` of the job. */
export function pictureUrls({ kind, input }: Pick<GenerationRow, "kind" | "input">): InputUrl[] {
  const isPicture = ({ field }: InputUrl) => PICTURE_FIELDS.includes(field.replace(/\[.*/, ""));
  return urlsOf(inputFromJson(kind, input)).filter(isPicture);
}

/** Those that have the form of a file's that this service stores; delivery knows which are. */
export function storedUrls(input: Input): InputUrl[] {
  return urlsOf(input).filter(({ url }) => isLikeAssetUrl(url));
}

function urlsOf(input: Input): InputUrl[] {
  const urls = isVideo(input)
    ? [
        { field: "image_url", url: input.imageUrl },
        { field: "last_image_url", url: input.lastImageUrl },
        ...input.referenceImages.map(({ url }, n) => ({
          field: `reference_images[${n}].url`,
          url,
        })),
        { field: "video_url", url: input.videoUrl },
      ]
    : [
        ...input.imageUrls.map((url, n) => ({ field: `image_urls[${n}]`, url })),
        { field: "mask_url", url: input.maskUrl },
      ];
  return urls.flatMap(({ field, url }) => (url === undefined ? [] : [{ field, url }]));
}
