/** The location of a fault as clients see it: `image_urls[2]`, `metadata.order_id`. */
import type { ErrorObject } from "ajv/dist/2020.js";

/** A field's name can be as long as the body; error responses must not be. */
const MAX_PARAM_CHARACTERS = 200;

/** Stands for a field whose name is empty. */
const UNNAMED = '""';

/** The path of an ajv error: its JSON pointer, and the property name when the error is about a name. */
export function segmentsOf(error: ErrorObject): string[] {
  const path = error.instancePath.split("/").slice(1).map(unescapePointer);
  const { params, propertyName } = error;
  const name =
    propertyName ??
    (error.keyword === "required" ? params["missingProperty"] : undefined) ??
    (error.keyword === "additionalProperties" ? params["additionalProperty"] : undefined);
  return name === undefined ? path : [...path, String(name)];
}

/**
 * `segments` as one string, empty for the whole body. `data` distinguishes list positions from names. Half a surrogate pair
 * becomes U+FFFD: many JSON parsers refuse an answer that has one.
 */
export function paramOf(segments: readonly string[], data: unknown): string {
  let text = "";
  let node = data;
  for (const segment of segments) {
    if (Array.isArray(node)) text += `[${segment}]`;
    else text += `${text === "" ? "" : "."}${segment || UNNAMED}`;
    node = isRecord(node) && Object.hasOwn(node, segment) ? node[segment] : undefined;
  }
  return shorten(text).toWellFormed();
}

/** Cuts after 200 whole characters. */
function shorten(text: string): string {
  const characters = Array.from(text.slice(0, 2 * MAX_PARAM_CHARACTERS + 2));
  if (characters.length <= MAX_PARAM_CHARACTERS) return text;
  return `${characters.slice(0, MAX_PARAM_CHARACTERS).join("")}…`;
}

function unescapePointer(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
