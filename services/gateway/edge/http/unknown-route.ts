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
      const message = `This path does not have ${method}. Use ${ONE_OF.format(methods)}.`;
      return new Problem("method_not_allowed", { message, headers: { Allow: methods.join(", ") } });
    }
    if (path.length > MAX_CHARACTERS) return notThere();
    const isOpenaiElsewhere = isByOpenai(request) && prefix !== OPENAI_PREFIX;
    if (isOpenaiElsewhere && endingAs(routesBelow(routes, OPENAI_PREFIX), segmentsOf(path)))
      return notThere(BASE_URL);
    const ofMethod = own.filter((route) => route.methods.includes(method));
    const places = prefix ? [prefix] : prefixes;
    return notThere(hintFor(ofMethod, places, path) ?? hintFor(own, places, path));
  });
}

function notThere(hint?: string): Problem {
  const message = hint === undefined ? {} : { message: `This path does not exist. ${hint}` };
  return new Problem("route_not_found", message);
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

function hintFor(routes: readonly Route[], prefixes: readonly string[], path: string) {
  const own = prefixes.find((prefix) => `${path}/`.startsWith(`${prefix}/`));
  const rest = segmentsOf(path.slice(own?.length ?? 0));
  const asked = rest.map((segment) => (ID.test(segment) ? "{id}" : segment));
  if (own !== undefined && asked.length === 0) return ROOT;
  const places = own === undefined ? prefixes : [own];
  const known = places.flatMap((prefix) => routesBelow(routes, prefix));
  const exact = endingAs(known, asked);
  const other = (own === undefined ? tailsOf(asked) : [asked]).map(otherApi).find(Boolean);
  if (!exact && other !== undefined) return `${other}.`;
  const meant = exact ?? nearest(known, asked);
  return meant && `Did you mean ${meant.path}? Correct the path, or the base URL of your client.`;
}

type Known = { path: string; segments: string[] };

function routesBelow(routes: readonly Route[], prefix: string): Known[] {
  const own = routes.filter(({ path }) => path.startsWith(`${prefix}/`));
  return own.map(({ path }) => ({ path, segments: segmentsOf(path.slice(prefix.length)) }));
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter(Boolean);
}

/** The path, and what is left of it without what may be too much at its beginning. */
function tailsOf(asked: readonly string[]): (readonly string[])[] {
  return asked.slice(0, MAX_WRONG + 1).map((_segment, at) => asked.slice(at));
}

function endingAs(known: readonly Known[], asked: readonly string[]): Known | undefined {
  const found = tailsOf(asked).map((tail) => known.find(({ segments }) => isSame(segments, tail)));
  return found.find((one) => one !== undefined);
}

/** The route with the noun of the path, and with an id where the path has one and the noun such a route. */
function nearest(routes: readonly Known[], asked: readonly string[]): Known | undefined {
  const nouns = new Set(routes.map(({ segments }) => segments[0] ?? ""));
  const noun = nearestName(asked[0] ?? "", [...nouns]);
  const below = routes.filter(({ segments }) => segments[0] === noun);
  const withId = below.filter(({ path }) => asked.includes("{id}") && path.includes("{"));
  const fit = withId.length > 0 ? withId : below;
  const byName = new Map(fit.map((route) => [route.segments.join("/"), route]));
  // The noun is certain, so that the nearest path below it is meant, however far it is.
  return byName.get(nearestName(asked.join("/"), [...byName.keys()], Infinity) ?? "");
}

const ROOT =
  "The operations are below it: /docs describes them, /openapi.json is the specification.";
const OPENAI_PREFIX = "/openai/v1";
const OPENAI = `OpenAI's clients need the base URL ${OPENAI_PREFIX}`;
/** For clients of OpenAI's that call something else. */
export const BASE_URL = `${OPENAI}. Correct that of your client.`;

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
  ["mcp sse", "The MCP server is at /mcp: see /docs/guides/mcp"],
  ["keys api-keys", "API keys are made in the dashboard: see /docs/guides/api-keys"],
  [
    "webhook-endpoints webhook webhooks events webhook-deliveries deliveries",
    "Set webhook_url in the create, and GET /v1/webhooks/deliveries lists what was sent: see /docs/guides/webhooks",
  ],
];
/** In any segment of a path. */
const ANYWHERE = ["predictions", "edits"];

function otherApi(segments: readonly string[]): string | undefined {
  const name = segments.find((segment) => ANYWHERE.includes(segment)) ?? segments[0] ?? "";
  const word = name.toLowerCase().replaceAll("_", "-");
  // This service has paths below it.
  if (word === "webhooks" && segments.length > 1) return undefined;
  return OTHERS.find(([words]) => words.split(" ").includes(word))?.[1];
}
