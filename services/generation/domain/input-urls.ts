/** The pictures that a request names by URL, each with the field that names it. */
import { VideoInputSchema } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { isLikeAssetUrl } from "#vocabulary/asset-url.ts";
import { inputFromJson, type GenerationRow } from "./generation.ts";
import type { Input } from "./plan.ts";

/** `field`: the path of the public API, e.g. "image_urls[2]". */
export type InputUrl = { field: string; url: string };

export function inputUrls({ kind, input }: Pick<GenerationRow, "kind" | "input">): InputUrl[] {
  return urlsOf(inputFromJson(kind, input));
}

/** Those that have the form of a file's that this service stores; delivery knows which are. */
export function storedUrls(row: Pick<GenerationRow, "kind" | "input">): InputUrl[] {
  return inputUrls(row).filter(({ url }) => isLikeAssetUrl(url));
}

function urlsOf(input: Input): InputUrl[] {
  if (input.$typeName !== VideoInputSchema.typeName) {
    return input.imageUrls.map((url, index) => ({ field: `image_urls[${index}]`, url }));
  }
  return input.imageUrl === undefined ? [] : [{ field: "image_url", url: input.imageUrl }];
}
