/** Serves the dashboard's built files, and its page with a fresh nonce in each response. */
import { createHash, randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Problem } from "../edge/http/problem.ts";

export type BuiltFile = {
  content: Buffer;
  /** Undefined when it would not be smaller. */
  gzipped: Buffer | undefined;
  type: string;
  etag: string;
};

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};

export type ReadBuiltFiles = () => Promise<ReadonlyMap<string, BuiltFile>>;

/** The files by their path below `directory`. Empty while the build is missing; then the next call reads again. */
export function builtFiles(directory: string): ReadBuiltFiles {
  let files: ReadonlyMap<string, BuiltFile> | undefined;
  return async () => (files ??= await readAll(directory)) ?? new Map();
}

async function readAll(directory: string): Promise<ReadonlyMap<string, BuiltFile> | undefined> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(
    () => undefined,
  );
  const paths = entries?.filter((entry) => entry.isFile()).map((e) => join(e.parentPath, e.name));
  if (!paths?.some((path) => path === join(directory, "index.html"))) return undefined;
  const files = paths.map(async (path) => {
    const name = relative(directory, path).replaceAll(sep, "/");
    return [name, fileOf(path, await readFile(path))] as const;
  });
  return new Map(await Promise.all(files));
}

function fileOf(path: string, content: Buffer): BuiltFile {
  const gzipped = gzipSync(content);
  return {
    content,
    gzipped: gzipped.length < content.length ? gzipped : undefined,
    type: TYPES[extname(path)] ?? "application/octet-stream",
    etag: `"${createHash("sha256").update(content).digest("base64url")}"`,
  };
}

const DIRECTORY = fileURLToPath(new URL("../../../clients/dashboard/dist/", import.meta.url));
const NONCE = "__CSP_NONCE__";
const IMMUTABLE = "public, max-age=31536000, immutable";

const NOT_BUILT =
  "<!doctype html><title>Not built</title><p>The dashboard is not built. " +
  "Run <code>node scripts/setup.mjs</code>, then load this page again.</p>\n";

const HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
};

export type PagesConfig = {
  /** The base URL of generated files; its origin is allowed for images and videos. */
  assetBaseUrl: () => string;
  /** The build's output; a parameter for tests. */
  directory?: string;
};

export function pages(config: PagesConfig): (app: FastifyInstance) => Promise<void> {
  const readFiles = builtFiles(config.directory ?? DIRECTORY);
  return async (app) => {
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      const path = (request.params as { "*"?: string })["*"] ?? "";
      if (path === "api" || path.startsWith("api/")) throw new Problem("route_not_found");
      const files = await readFiles();
      const file = files.get(path);
      void reply.headers(HEADERS);
      if (file && path !== "index.html") return sendFile(request, reply, path, file);
      if (/\.[a-z0-9]+$/i.test(path) && path !== "index.html") throw new Problem("route_not_found");
      const page = files.get("index.html");
      const nonce = randomBytes(16).toString("base64url");
      return reply
        .code(page ? 200 : 503)
        .header("cache-control", "no-store")
        .header("content-security-policy", policy(nonce, config.assetBaseUrl()))
        .type("text/html; charset=utf-8")
        .send(page ? page.content.toString("utf8").replaceAll(NONCE, nonce) : NOT_BUILT);
    };
    app.get("/dashboard", handler);
    app.get("/dashboard/*", handler);
  };
}

function sendFile(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  path: string,
  { content, gzipped, type, etag }: BuiltFile,
): FastifyReply {
  const caching = path.startsWith("assets/") ? IMMUTABLE : "no-cache";
  void reply.headers({ "cache-control": caching, etag, vary: "Accept-Encoding" });
  if (headers["if-none-match"] === etag) return reply.code(304).send();
  const isZipped = gzipped && /\bgzip\b/.test(String(headers["accept-encoding"] ?? ""));
  if (isZipped) void reply.header("content-encoding", "gzip");
  return reply.type(type).send(isZipped ? gzipped : content);
}

/** Allows no other origin except that of images and videos, and nothing inline without the nonce. */
function policy(nonce: string, assetBaseUrl: string): string {
  const media = `'self' blob: ${URL.canParse(assetBaseUrl) ? new URL(assetBaseUrl).origin : ""}`;
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src ${media.trim()} data:`,
    `media-src ${media.trim()}`,
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}
