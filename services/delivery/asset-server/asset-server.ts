/** Serves stored objects to the gateway over HTTP: ranges, strong ETags, immutable caching, any origin. */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { listenAt } from "#runtime/listen.ts";
import type { Log } from "#runtime/log.ts";
import { onAbort } from "#runtime/abort.ts";
import { closeKeptAlive, type Shutdown } from "#runtime/shutdown.ts";
import {
  CACHE_CONTROL,
  contentTypeOf,
  isObjectKey,
  type ByteRange,
  type ObjectStore,
} from "../storage/object-store.ts";

export type AssetServerOptions = {
  host: string;
  port: number;
  store: ObjectStore;
  log?: Log;
  shutdown: Shutdown;
  /** Makes the object of a missing key, if it is made on demand. */
  makeMissing?: (key: string) => Promise<MadeObject>;
};

/** `absent`: there is none and none can be made. `later` is answered with 503, `deleted` with 410. */
export type MadeObject = "stored" | "absent" | "later" | "deleted";

const PREFIX = "/assets/";
const RETRY = { "Retry-After": "5" };

/** Starts the server. Disposal gives running responses until the deadline of `shutdown` to finish. */
export async function startAssetServer(options: AssetServerOptions) {
  const server = createServer((request, response) => {
    respond(options, request, response).catch((error: unknown) => {
      options.log?.error({ err: error }, "storage unavailable, asset not served");
      if (response.headersSent) response.destroy();
      else refuse(response, 503, RETRY);
    });
  });
  closeKeptAlive(server, options.shutdown);
  const port = await listenAt(server, ["HOST", options.host], ["ASSETS_PORT", options.port]);
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return {
    /** The base of the URLs, without the slash before a key: `http://host:port/assets`. */
    url: `http://${host}:${port}/assets`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      onAbort(options.shutdown.deadline, () => server.closeAllConnections());
      await closed;
    },
  };
}

async function respond(
  { store, makeMissing = async () => "absent" }: AssetServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.setHeader("Access-Control-Allow-Origin", "*");
  const { method } = request;
  const key = keyOf(request.url ?? "");
  if (key === undefined) return refuse(response, 404);
  if (method === "OPTIONS") return preflight(response);
  let head = await store.head(key);
  const made = head ? "stored" : await makeMissing(key);
  if (made === "later") return refuse(response, 503, RETRY);
  if (made === "deleted") return refuse(response, 410);
  if (made === "absent") return refuse(response, 404);
  head ??= await store.head(key);
  if (head === undefined) return refuse(response, 404);

  // Objects never change, so a digest of the key identifies the content too.
  const etag = `"${createHash("sha256").update(key).digest("base64url").slice(0, 22)}"`;
  const ifMatch = request.headers["if-match"];
  if (ifMatch !== undefined && !tagMatches(ifMatch, etag, "strongly")) return refuse(response, 412);
  describe(response, key, etag);
  const ifNoneMatch = request.headers["if-none-match"];
  if (ifNoneMatch !== undefined && tagMatches(ifNoneMatch, etag, "weakly")) {
    response.removeHeader("Content-Type");
    return void response.writeHead(304).end();
  }
  // RFC 9110 defines Range for GET only. Objects have no modification date, so a date in If-Range never matches.
  const ifRange = String(request.headers["if-range"] ?? etag).trim();
  const useRange = method === "GET" && ifRange === etag;
  const range = useRange ? parseRange(request.headers.range, head.bytes) : undefined;
  if (range === "unsatisfiable") {
    return refuse(response, 416, { "Content-Range": `bytes */${head.bytes}` });
  }
  if (range) response.setHeader("Content-Range", `bytes ${range.start}-${range.end}/${head.bytes}`);
  response.setHeader("Content-Length", range ? range.end - range.start + 1 : head.bytes);
  response.statusCode = range ? 206 : 200;
  if (method === "HEAD") return void response.end();
  const stream = await store.get(key, range);
  if (stream === undefined) {
    return refuse(response, (await makeMissing(key)) === "deleted" ? 410 : 404);
  }
  try {
    // The pipeline destroys the stream when the client hangs up, and the connection when the stream fails.
    await pipeline(stream, response);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  }
}

/** The object key in a request path, or undefined. Keys need no escapes, so none are decoded. */
function keyOf(url: string): string | undefined {
  const path = url.split("?", 1)[0] ?? "";
  const key = path.slice(PREFIX.length);
  return path.startsWith(PREFIX) && isObjectKey(key) ? key : undefined;
}

function describe(response: ServerResponse, key: string, etag: string): void {
  response.setHeader("Accept-Ranges", "bytes");
  response.setHeader("Access-Control-Expose-Headers", "Accept-Ranges, Content-Range, ETag");
  response.setHeader("Cache-Control", CACHE_CONTROL);
  response.setHeader("Content-Type", contentTypeOf(key));
  response.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
  response.setHeader("ETag", etag);
}

function preflight(response: ServerResponse): void {
  response.setHeader("Access-Control-Allow-Methods", "GET, HEAD");
  response.setHeader("Access-Control-Allow-Headers", "Range, If-Range, If-Match, If-None-Match");
  response.setHeader("Access-Control-Max-Age", "86400");
  response.writeHead(204).end();
}

/** Responds without content, and removes the headers that describe an object. */
function refuse(response: ServerResponse, status: number, headers: Record<string, string> = {}) {
  for (const name of ["Content-Type", "Content-Range", "ETag"]) response.removeHeader(name);
  response.setHeader("Cache-Control", "no-store");
  response.writeHead(status, { ...headers, "Content-Length": "0" }).end();
}

/** Whether a list of tags, or "*", names `etag`. If-None-Match compares weakly, If-Match strongly. */
function tagMatches(header: string, etag: string, compared: "weakly" | "strongly"): boolean {
  if (header.trim() === "*") return true;
  const tags = header.split(",").map((tag) => tag.trim());
  return tags.some((tag) => (compared === "weakly" ? tag.replace(/^W\//, "") : tag) === etag);
}

/** Spaces belong to one part each: that one of two takes them would cost their number squared. */
const RANGE = /^bytes=\s*(?:(\d+)\s*)?-\s*(?:(\d+)\s*)?$/;

/** The range of a Range header; undefined sends the whole object (RFC 9110, 14.2), also for several ranges. */
function parseRange(
  header: string | undefined,
  bytes: number,
): ByteRange | "unsatisfiable" | undefined {
  const [, first = "", last = ""] = RANGE.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  // Without a first byte it is the last bytes, of which there may be fewer.
  const start = first === "" ? Math.max(0, bytes - Number(last)) : Number(first);
  const end = first === "" || last === "" ? bytes - 1 : Math.min(Number(last), bytes - 1);
  return start > end ? "unsatisfiable" : { start, end };
}
