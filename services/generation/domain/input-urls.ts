/** The pictures that a request names by URL, each with the field that names it. */
import { VideoInputSchema } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { inputFromJson } from "./generation.ts";
import type { GenerationRow } from "./generation.ts";
import type { Input } from "./plan.ts";

/** `field`: the path of the public API, e.g. "image_urls[2]". */
export type InputUrl = { field: string; url: string };

export function inputUrls({ kind, input }: Pick<GenerationRow, "kind" | "input">): InputUrl[] {
  return urlsOf(inputFromJson(kind, input));
}

function urlsOf(input: Input): InputUrl[] {
  if (input.$typeName !== VideoInputSchema.typeName) {
    return input.imageUrls.map((url, index) => ({ field: `image_urls[${index}]`, url }));
  }
  return input.imageUrl === undefined ? [] : [{ field: "image_url", url: input.imageUrl }];
}
