/** What to say of a field or query parameter that an operation does not have. */
import { meantName } from "#runtime/did-you-mean.ts";

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
    height: ["size", "aspect_ratio"],
    image: ["image_url", "image_urls"],
    images: ["image_urls", "reference_images"],
    input_reference: ["image_url"],
    last_frame: ["last_image_url"],
    length: ["duration"],
    mask: ["mask_url"],
    model_id: ["model"],
    num_frames: ["duration"],
    num_images: ["n"],
    num_outputs: ["n"],
    quality: ["resolution"],
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
    width: ["size", "aspect_ratio"],
  }),
);

/** More are not compared with the names that are missing. */
const MAX_COMPARED = 20;

export type UnknownName = {
  noun: "field" | "query parameter";
  name: string;
  /** `name` as the fault's parameter. */
  shown: string;
  /** The names that are allowed there. */
  known: readonly string[];
  value: unknown;
};

export function unknownName({ noun, name, shown, known, value }: UnknownName): string {
  const unknown = `Unknown ${noun}: ${shown}.`;
  if (known.length === 0) return `${unknown} Remove it: there is none here.`;
  if (PAGE_NAMES.has(name) && known.includes("after")) {
    return `${unknown} For the next page send after, the id of the last object of this one. ${listed(known)}`;
  }
  const meant = meantNames(name, known);
  if (meant.length > 0) {
    const names = meant.map((one) => `"${one}"`).join(" or ");
    return `${unknown} Did you mean ${names}? Remove it or correct its name.`;
  }
  if (shown === name && known.some((one) => holds(value, one))) {
    return `${unknown} Send the fields that are in it at the top level.`;
  }
  return `${unknown} ${listed(known)}`;
}

/** What a required name was sent as, as a sentence with a space before it; empty where nothing unknown in `data` is like it. */
export function sentInstead(missing: string, data: unknown, known: readonly string[]): string {
  const unknown = Object.entries(data as object)
    .filter(([name]) => !known.includes(name))
    .slice(0, MAX_COMPARED);
  for (const [name, value] of unknown) {
    const shown = `"${name.toWellFormed()}"`;
    if (meantNames(name, known).includes(missing)) return ` You sent ${shown}: correct its name.`;
    if (holds(value, missing)) return ` You sent it within ${shown}: take it out of there.`;
  }
  return "";
}

function meantNames(name: string, known: readonly string[]): string[] {
  const same = (OTHER_NAMES.get(snakeCase(name)) ?? []).filter((one) => known.includes(one));
  return same.length > 0 ? same : [meantName(name, known) ?? []].flat();
}

/** Whether the value is an object around the field, such as the `input` of other APIs. */
function holds(value: unknown, field: string): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, field);
}

function listed(known: readonly string[]): string {
  return `Remove it, or use one of ${known.join(", ")}.`;
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
