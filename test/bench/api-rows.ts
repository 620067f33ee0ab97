/** The requests that the API benchmark measures. */
import { requestText } from "./kept-alive.ts";

export const VIDEO = { model: "alpha-2.0-mini", prompt: "a cat in the rain" };
export const IMAGE = { model: "gamma-image-3.0-pro", prompt: "a cat in the rain" };
/** The upstream ends videos with this prompt; all others run for ever. */
export const FINISHING_PROMPT = "a video that ends";
export const REPLAYED_KEY = "the-key-of-a-replay";

export type Generations = { finishedId: string; runningId: string };

export type Row = ReturnType<typeof row>;

type Options = { keys?: readonly string[]; idempotencyKey?: string; body?: object };

const CONNECTIONS = 64;

/** `keys` are of different accounts; the generations belong to the first. */
export function apiRows(keys: readonly string[], { finishedId, runningId }: Generations): Row[] {
  const [key = ""] = keys;
  const videos = "/v1/videos/generations";
  const images = "/v1/images/generations";
  const read = (name: string, path: string, route = path, connections = CONNECTIONS) =>
    row(name, connections, path, route, { keys: [key] });
  const create = (name: string, connections: number, path: string, options: Options) =>
    row(name, connections, path, path, { keys: [key], ...options });
  const [video, image] = [{ body: VIDEO }, { body: IMAGE }];
  return [
    read("GET a finished video", `${videos}/${finishedId}`, `${videos}/:id`),
    read("GET a running video", `${videos}/${runningId}`, `${videos}/:id`),
    read("GET models", "/v1/models"),
    read("GET balance", "/v1/balance"),
    read("list of 20", `${videos}?limit=20`, videos),
    read("GET a finished video, 1 connection", `${videos}/${finishedId}`, `${videos}/:id`, 1),
    create("replay of a key", CONNECTIONS, videos, { ...video, idempotencyKey: REPLAYED_KEY }),
    create("POST image, 1 connection", 1, images, image),
    create("POST image, 16 connections", 16, images, image),
    create("POST video, 1 connection", 1, videos, video),
    create("POST video, 1 account", CONNECTIONS, videos, video),
    create("POST video, 20 accounts", CONNECTIONS, videos, { ...video, keys }),
  ];
}

function row(
  name: string,
  connections: number,
  path: string,
  route: string,
  { keys = [], idempotencyKey, body: json }: Options,
) {
  const method: "GET" | "POST" = json ? "POST" : "GET";
  const body = json && JSON.stringify(json);
  const headers: Record<string, string> = {
    ...(idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey }),
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
  };
  const isImage = path.includes("/images/");
  const schema = isImage ? "CreateImageGenerationRequest" : "CreateVideoGenerationRequest";
  const requestOf = (key: string) =>
    requestText(method, path, { Authorization: `Bearer ${key}`, ...headers }, body);
  return {
    name,
    connections,
    method,
    path,
    /** The path as a router writes it, with parameters and without a query. */
    route,
    key: keys[0] ?? "",
    headers,
    body,
    /** The document's schema of the body. */
    bodySchema: body === undefined ? undefined : schema,
    /** As sent; connections take them in turn. */
    requests: keys.map(requestOf),
  };
}
