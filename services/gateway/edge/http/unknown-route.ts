/** What a request gets whose path or method is not there, with what was probably meant. */
import type { FastifyInstance } from "fastify";
import { nearestName } from "#runtime/did-you-mean.ts";
import type { Contract } from "./contract.ts";
import { Problem } from "./problem.ts";

/** "GET, HEAD or POST". */
const ONE_OF = new Intl.ListFormat("en-GB", { type: "disjunction" });

/** `methods`: those that the request's path has. `hint` says what was probably meant. */
export function unknownRoute(
  method: string,
  methods: readonly string[],
  hint: () => string | undefined = () => undefined,
): Problem {
  if (methods.length === 0) return notFound(hint());
  return new Problem("method_not_allowed", {
    message: `This path does not have ${method}. Use ${ONE_OF.format(methods)}.`,
    headers: { Allow: methods.join(", ") },
  });
}

function notFound(hint: string | undefined): Problem {
  if (hint === undefined) return new Problem("route_not_found");
  return new Problem("route_not_found", { message: `This path does not exist. ${hint}` });
}

/** Collects the methods of each path, for routes that no document describes. Call it before any of them is registered. */
export function collectMethods(app: FastifyInstance): (url: string) => string[] {
  const routes: { url: string; methods: string[] }[] = [];
  app.addHook("onRoute", ({ url, method }) => {
    routes.push({ url, methods: [method].flat() });
  });
  return (url) => {
    const path = url.split("?", 1)[0] ?? "";
    const found = routes.filter((route) => matches(route.url, path));
    return [...new Set(found.flatMap(({ methods }) => methods))].toSorted();
  };
}

function matches(pattern: string, path: string): boolean {
  return pattern.endsWith("/*") ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}

/** Longer paths are no slips. */
const MAX_CHARACTERS = 200;
/** Segments that a path may have too many at its beginning: `/api/v2/`. */
const MAX_WRONG = 3;

/** As sentences; `contracts` in the order in which they are tried. */
export function baseUrlHint(
  contracts: readonly Pick<Contract, "prefix" | "routeAt">[],
  method: string,
  url: string,
): string | undefined {
  if (url.length > MAX_CHARACTERS) return undefined;
  const [path = ""] = url.split("?", 1);
  const segments = path.split("/").filter((segment) => segment !== "");
  const own = contracts.filter(({ prefix }) => prefix.split("/")[1] === segments[0]);
  const tried = new Set([...own, ...contracts]);
  for (const tail of tailsOf(segments)) {
    for (const { prefix, routeAt } of tried) {
      const route = routeAt(`${prefix}${tail}`);
      if (!route) continue;
      const shown = route.methods.includes(method) ? method : route.methods[0];
      return `The API is at ${prefix}: did you mean ${shown} ${route.path}? Correct the base URL of your client.`;
    }
  }
  return tailsOf(segments).map(otherApiHint).find(Boolean);
}

/** The path, without its first segment, and so on. */
function tailsOf(segments: readonly string[]): string[] {
  return segments.slice(0, MAX_WRONG + 1).map((_segment, at) => `/${segments.slice(at).join("/")}`);
}

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

const OPENAI = "OpenAI's clients need the base URL that /docs/guides/openai names";
const MAKE =
  "Here POST /v1/videos/generations makes a video, and POST /v1/images/generations an image";

/** In any segment of a path; the others only in the first. */
const ANYWHERE = ["predictions", "edits"];

const MAKES_ONLY = "This service makes videos and images only";
/** What OpenAI's clients have for text and sound. */
const OTHER_MEDIA = ["responses", "chat", "completions", "embeddings", "audio", "moderations"];

const HINTS: Readonly<Record<string, string>> = {
  ...hints(["predictions", "deployments", "trainings"], `${MAKE}: see /docs/guides/replicate`),
  ...hints(["queue", "fal-ai"], `${MAKE}: see /docs/guides/fal`),
  ...hints(OTHER_MEDIA, `${MAKES_ONLY}. ${MAKE}. ${OPENAI}`),
  ...hints(
    ["edits"],
    `Here POST /v1/images/generations takes the pictures to edit as image_urls. ${OPENAI}`,
  ),
  ...hints(
    ["run", "generate", "generations", "text-to-video", "image-to-video", "text-to-image", "jobs"],
    MAKE,
  ),
  ...hints(["upload", "uploads", "storage"], "Here POST /v1/files takes a picture"),
  ...hints(["account", "credits", "billing"], "Here GET /v1/balance has the Tokens that are left"),
};

const ROOT =
  "The operations are below it: /docs describes them, /openapi.json is the specification.";

/** The hint for a path below the prefix of the API, as sentences. */
export function otherApiHint(path: string): string | undefined {
  if (path === "" || path === "/") return ROOT;
  const segments = path.split("/");
  const name = segments.find((segment) => ANYWHERE.includes(segment)) ?? segments[1] ?? "";
  const known = name.toLowerCase().replaceAll("_", "-");
  return Object.hasOwn(HINTS, known) ? HINTS[known] : undefined;
}

/** The hint for a path below the prefix of the OpenAI dialect. */
export function otherMediaHint(path: string): string | undefined {
  if (!OTHER_MEDIA.includes(path.split("/")[1] ?? "")) return undefined;
  return `${MAKES_ONLY}: /docs/guides/openai lists what works.`;
}

function hints(names: readonly string[], hint: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `${hint}.`]));
}
