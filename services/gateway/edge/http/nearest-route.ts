/** Finds the path of a document that was probably meant by one that it does not have. */
import { nearestName } from "#runtime/did-you-mean.ts";

const ID = /^[a-z]+_[0-9a-z]{26}$/i;

/** `templates` and the answer are the document's, `/videos/generations/{id}`; `path` follows `prefix`, as they do. */
export function nearestRoute(
  templates: readonly string[],
  prefix: string,
  path: string,
): string | undefined {
  // A base URL that ends with the prefix, before a path that begins with it.
  const own = path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
  const segments = own.replaceAll(/\/+/g, "/").replace(/\/$/, "").split("/").map(withoutId);
  const noun = nearestName(segments[1] ?? "", [...new Set(templates.map(nounOf))]);
  if (noun === undefined) return undefined;
  const below = templates.filter((template) => nounOf(template) === noun);
  const filled = new Map(
    likeliest(below, segments).map(
      (template) => [filledWith(segments, template), template] as const,
    ),
  );
  // The noun is certain, so that the nearest path below it is meant, however far it is.
  const nearest = nearestName(segments.join("/"), [...filled.keys()], Infinity);
  return nearest === undefined ? undefined : filled.get(nearest);
}

/** An id is as long as the rest of a path, and would outweigh it. */
function withoutId(segment: string): string {
  return ID.test(segment) ? "{id}" : segment;
}

/** Those with an id where the path has one, and with as many segments as the path; where there is none, the others too. */
function likeliest(templates: readonly string[], segments: readonly string[]): readonly string[] {
  const withId = templates.filter((template) => template.includes("{"));
  const left = segments.includes("{id}") && withId.length > 0 ? withId : templates;
  const asLong = left.filter((template) => template.split("/").length === segments.length);
  return asLong.length > 0 ? asLong : left;
}

/** The first segment: `videos`. */
function nounOf(template: string): string {
  return template.split("/")[1] ?? "";
}

/** The template with what `segments` has in the places of its parameters. */
function filledWith(segments: readonly string[], template: string): string {
  return template
    .split("/")
    .map((part, at) => (part.startsWith("{") ? (segments[at] ?? part) : part))
    .join("/");
}
