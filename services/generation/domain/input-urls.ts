/** The URLs that a request names, each with the field that names it. */
import { VideoInputSchema } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { isLikeAssetUrl } from "#vocabulary/public-values.ts";
import { inputFromJson, type GenerationRow } from "./generation.ts";
import type { Input } from "./plan.ts";

/** `field`: the path of the public API, e.g. "image_urls[2]". */
export type InputUrl = { field: string; url: string };

/** The fields of a stored input that name what `pictureUrls` returns. */
export const PICTURE_FIELDS = ["image_url", "image_urls", "mask_url"] as const;

type PictureField = (typeof PICTURE_FIELDS)[number];
type PictureUrl = InputUrl & { field: PictureField | `${PictureField}[${number}]` };

/** The pictures that an upstream which takes bytes is given, in the order of `pictures` of the job. */
export function pictureUrls({ kind, input }: Pick<GenerationRow, "kind" | "input">): InputUrl[] {
  return pictureUrlsOf(inputFromJson(kind, input));
}

/** Those that have the form of a file's that this service stores; delivery knows which are. */
export function storedUrls(input: Input): InputUrl[] {
  return allUrlsOf(input).filter(({ url }) => isLikeAssetUrl(url));
}

function allUrlsOf(input: Input): InputUrl[] {
  const others =
    input.$typeName === VideoInputSchema.typeName
      ? [
          ["last_image_url", input.lastImageUrl] as const,
          ...input.referenceImages.map(
            ({ url }, index) => [`reference_images[${index}].url`, url] as const,
          ),
          ["video_url", input.videoUrl] as const,
        ]
      : [];
  const named = others.flatMap(([field, url]) => (url === undefined ? [] : [{ field, url }]));
  return [...pictureUrlsOf(input), ...named];
}

function pictureUrlsOf(input: Input): PictureUrl[] {
  if (input.$typeName !== VideoInputSchema.typeName) {
    const { imageUrls, maskUrl } = input;
    return [
      ...imageUrls.map((url, index): PictureUrl => ({ field: `image_urls[${index}]`, url })),
      ...pictureUrl("mask_url", maskUrl),
    ];
  }
  return pictureUrl("image_url", input.imageUrl);
}

function pictureUrl(field: PictureField, url: string | undefined): PictureUrl[] {
  return url === undefined ? [] : [{ field, url }];
}
