/** Where a fault is, as clients read it: `image_urls[2]`, `metadata.order_id`. */
import type { ErrorObject } from "ajv/dist/2020.js";

/** A field's name may be as long as the body; what is told of it need not. */
const MAX_PARAM_CHARACTERS = 200;

/** How a field whose name is empty is told. */
const UNNAMED = '""';

/** The names that lead to the fault: the pointer of the error and, where it is about a name, that name. */
export function segmentsOf(error: ErrorObject): string[] {
  const path = error.instancePath.split("/").slice(1).map(unescapePointer);
  const { params, propertyName } = error;
  const name =
    propertyName ??
    (error.keyword === "required" ? params["missingProperty"] : undefined) ??
    (error.keyword === "additionalProperties" ? params["additionalProperty"] : undefined);
  return name === undefined ? path : [...path, String(name)];
}

/** `segments` as one text; empty for the whole. `data` tells positions of a list from names. */
export function paramOf(segments: readonly string[], data: unknown): string {
  let text = "";
  let at = data;
  for (const segment of segments) {
    if (Array.isArray(at)) text += `[${segment}]`;
    else text += text === "" ? segment || UNNAMED : `.${segment}`;
    at = isRecord(at) && Object.hasOwn(at, segment) ? at[segment] : undefined;
  }
  return shorten(text);
}

/** At most 200 characters, whole ones. */
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
