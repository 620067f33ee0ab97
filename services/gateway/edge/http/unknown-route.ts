/** What a request gets whose path or method is not there, with what was probably meant. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { nearestName } from "#runtime/did-you-mean.ts";
import { ONE_OF } from "../../domain/requests.ts";
import { documentPath } from "./app-hooks.ts";
import { pathOf } from "./contract.ts";
import { Problem } from "./problem.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** The problem of a request whose path or method is not there; `prefix`: of the document that the path is of. */
    unknownRoute: (request: FastifyRequest, prefix?: string) => Problem;
  }
}

/** `path` is as a document writes it: `/v1/models/{id}`. */
type Route = { path: string; methods: string[] };

/** Call it before any route is registered. The public document's prefix comes first in `prefixes`. */
export function knowRoutes(app: FastifyInstance, prefixes: readonly string[]): void {
  const routes: Route[] = [];
  app.addHook("onRoute", ({ url, method, config }) => {
    // Those of upstreams' callbacks are told to nobody.
    if (url.includes(":") && config?.operationId === undefined) return;
    routes.push({ path: documentPath(url), methods: [method].flat() });
  });
  app.decorate("unknownRoute", (request: FastifyRequest, prefix?: string) => {
    const { method, url } = request;
    const path = pathOf(url);
    // The pages' own wildcard holds for no document below it.
    const own = routes.filter((route) => !prefix || route.path.startsWith(`${prefix}/`));
    const here = own.filter((route) => fits(route.path, path));
    const methods = [...new Set(here.flatMap((route) => route.methods))].toSorted();
    if (methods.length > 0) {
      return new Problem("method_not_allowed", {
        message: `This path does not have ${method}. Use ${ONE_OF.format(methods)}.`,
        headers: { Allow: methods.join(", ") },
      });
    }
    if (isByOpenai(request) && prefix !== OPENAI_PREFIX && isOfOpenai(routes, path))
      return new Problem("route_not_found", { message: `This path does not exist. ${BASE_URL}` });
    const below = prefix ? [prefix] : prefixes;
    const ofMethod = own.filter((route) => route.methods.includes(method));
    const hint = hintFor(ofMethod, below, path) ?? hintFor(own, below, path);
    if (hint === undefined) return new Problem("route_not_found");
    return new Problem("route_not_found", { message: `This path does not exist. ${hint}` });
  });
}

function fits(template: string, path: string): boolean {
  if (template.endsWith("/*")) return path.startsWith(template.slice(0, -1));
  return isSame(template.split("/"), path.split("/"));
}

function isSame(parts: readonly string[], segments: readonly string[]): boolean {
  return (
    parts.length === segments.length &&
    parts.every((part, at) => (part.startsWith("{") ? segments[at] !== "" : part === segments[at]))
  );
}

/** Longer paths are no slips. */
const MAX_CHARACTERS = 200;
/** Segments that a path may have too many at its beginning: `/api/v2/`. */
const MAX_WRONG = 3;
const ID = /^[a-z]+_[0-9a-z]{26}$/i;

function hintFor(
  routes: readonly Route[],
  prefixes: readonly string[],
  path: string,
): string | undefined {
  if (path.length > MAX_CHARACTERS) return undefined;
  const own = prefixes.find((prefix) => `${path}/`.startsWith(`${prefix}/`));
  const rest = path.slice(own?.length ?? 0).split("/");
  const asked = rest.filter(Boolean).map((segment) => (ID.test(segment) ? "{id}" : segment));
  if (own !== undefined && asked.length === 0) return ROOT;
  const tails = asked.slice(0, MAX_WRONG + 1).map((_segment, at) => asked.slice(at));
  const below = (prefix: string) =>
    routes
      .filter((route) => route.path.startsWith(`${prefix}/`))
      .map((one) => ({ path: one.path, segments: one.path.slice(prefix.length + 1).split("/") }));
  const known = (own === undefined ? prefixes : [own]).flatMap(below);
  const exact = tails.flatMap((tail) => known.find(({ segments }) => isSame(segments, tail)) ?? []);
  const other = (own === undefined ? tails : [asked]).map(otherApi).find(Boolean);
  if (exact.length === 0 && other !== undefined) return `${other}.`;
  const meant = exact[0] ?? nearest(known, asked);
  return meant && `Did you mean ${meant.path}? Correct the path, or the base URL of your client.`;
}

type Known = { path: string; segments: string[] };

/** The route with the noun of the path, and with an id and as many segments as the path has, where there is one. */
function nearest(routes: readonly Known[], asked: readonly string[]): Known | undefined {
  const nouns = new Set(routes.map(({ segments }) => segments[0] ?? ""));
  const noun = nearestName(asked[0] ?? "", [...nouns]);
  const fit = ({ path, segments }: Known) =>
    (!asked.includes("{id}") || path.includes("{") ? 2 : 0) +
    (segments.length === asked.length ? 1 : 0);
  const below = routes.filter(({ segments }) => segments[0] === noun);
  const best = below.filter((route) => below.every((other) => fit(route) >= fit(other)));
  const byName = new Map(best.map((route) => [route.segments.join("/"), route]));
  // The noun is certain, so that the nearest path below it is meant, however far it is.
  return byName.get(nearestName(asked.join("/"), [...byName.keys()], Infinity) ?? "");
}

const ROOT =
  "The operations are below it: /docs describes them, /openapi.json is the specification.";
const OPENAI_PREFIX = "/openai/v1";
const OPENAI = `OpenAI's clients need the base URL ${OPENAI_PREFIX}`;
/** For clients of OpenAI's that call something else. */
export const BASE_URL = `${OPENAI}. Correct that of your client.`;

/** Whether the end of a path is one that OpenAI's clients call. */
function isOfOpenai(routes: readonly Route[], path: string): boolean {
  if (path.length > MAX_CHARACTERS) return false;
  const segments = path.split("/");
  const ends = segments.slice(1, MAX_WRONG + 2).map((_segment, at) => segments.slice(at + 1));
  const asked = ends.map((end) => [OPENAI_PREFIX, ...end].join("/"));
  return routes.some(
    (route) =>
      route.path.startsWith(`${OPENAI_PREFIX}/`) && asked.some((one) => fits(route.path, one)),
  );
}

/** OpenAI's own clients send the header, as do all that Stainless generates: Anthropic's too. */
export function isByOpenai({ headers }: FastifyRequest): boolean {
  return headers["x-stainless-lang"] !== undefined;
}

const MAKE =
  "Here POST /v1/videos/generations makes a video, and POST /v1/images/generations an image";

/** What other APIs have at the beginning of a path. */
const OTHERS: readonly [words: string, hint: string][] = [
  ["predictions deployments trainings", `${MAKE}: see /docs/guides/replicate`],
  ["queue fal-ai", `${MAKE}: see /docs/guides/fal`],
  [
    "responses chat completions embeddings audio moderations",
    `This service makes videos and images only. ${MAKE}. ${OPENAI}: see /docs/guides/openai`,
  ],
  [
    "edits",
    `Here POST /v1/images/generations takes the pictures to edit as image_urls. ${OPENAI}: see /docs/guides/openai`,
  ],
  ["run generate generations text-to-video image-to-video text-to-image jobs", MAKE],
  ["upload uploads storage", "Here POST /v1/files takes a picture"],
  ["account credits billing", "Here GET /v1/balance has the Tokens that are left"],
];
/** In any segment of a path. */
const ANYWHERE = ["predictions", "edits"];

function otherApi(segments: readonly string[]): string | undefined {
  const name = segments.find((segment) => ANYWHERE.includes(segment)) ?? segments[0] ?? "";
  const word = name.toLowerCase().replaceAll("_", "-");
  return OTHERS.find(([words]) => words.split(" ").includes(word))?.[1];
}
