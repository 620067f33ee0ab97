/** What to say of a field or query parameter that an operation does not have. */
import { didYouMean } from "#runtime/did-you-mean.ts";

/** Names of other APIs for a place in a list, where this one has `after`. */
const PAGE_NAMES: ReadonlySet<string> = new Set([
  "cursor",
  "offset",
  "page",
  "page_token",
  "starting_after",
]);

/** Names of other APIs for what this one has under these; those that an operation takes are suggested. */
export const OTHER_NAMES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    callback_url: ["webhook_url"],
    first_frame: ["image_url"],
    generate_audio: ["audio"],
    image: ["image_url", "image_urls"],
    images: ["image_urls", "reference_images"],
    input_reference: ["image_url"],
    last_frame: ["last_image_url"],
    mask: ["mask_url"],
    num_images: ["n"],
    num_outputs: ["n"],
    quality: ["resolution", "size"],
    ratio: ["aspect_ratio"],
    aspect_ratio: ["size"],
    resolution: ["size"],
    seconds: ["duration"],
    size: ["resolution", "aspect_ratio"],
    sound: ["audio"],
    text: ["prompt"],
    user: ["end_user"],
    video: ["video_url"],
    webhook: ["webhook_url"],
  }),
);

/** `shown` is `name` as the fault's parameter; `known` are the names that are allowed there. */
export function unknownName(
  noun: "field" | "query parameter",
  name: string,
  shown: string,
  known: readonly string[],
): string {
  const unknown = `Unknown ${noun}: ${shown}.`;
  if (known.length === 0) return `${unknown} Remove it: there is none here.`;
  if (PAGE_NAMES.has(name) && known.includes("after")) {
    return `${unknown} For the next page send after, the id of the last object of this one. ${listed(known)}`;
  }
  const same = (OTHER_NAMES.get(snakeCase(name)) ?? []).filter((one) => known.includes(one));
  const suggestion =
    same.length > 0
      ? ` Did you mean ${same.map((one) => `"${one}"`).join(" or ")}?`
      : didYouMean(name, known);
  if (suggestion !== "") return `${unknown}${suggestion} Remove it or correct its name.`;
  return `${unknown} ${listed(known)}`;
}

function listed(known: readonly string[]): string {
  return `Remove it, or use one of ${known.join(", ")}.`;
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
