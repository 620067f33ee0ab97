/** Finds the path of a document that was probably meant by one that it does not have. */
import { nearestName } from "#runtime/did-you-mean.ts";

/** `templates` and the answer are the document's, `/videos/generations/{id}`; `path` follows `prefix`, as they do. */
export function nearestRoute(
  templates: readonly string[],
  prefix: string,
  path: string,
): string | undefined {
  // A base URL that ends with the prefix, before a path that begins with it.
  const own = path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
  const segments = own.toLowerCase().replace(/\/$/, "").split("/");
  const noun = nearestName(segments[1] ?? "", [...new Set(templates.map(nounOf))]);
  if (noun === undefined) return undefined;
  const filled = new Map(
    templates
      .filter((template) => nounOf(template) === noun)
      .map((template) => [filledWith(segments, template), template] as const),
  );
  // Of those below the noun the nearest is meant, however far it is.
  const nearest = nearestName(segments.join("/"), [...filled.keys()], Infinity);
  return nearest === undefined ? undefined : filled.get(nearest);
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
