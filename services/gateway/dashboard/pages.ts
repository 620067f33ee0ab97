/** Serves the dashboard's built files, and its page with a fresh nonce in each response. */
import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { contentOf, sendContent, type Content } from "../edge/http/content.ts";
import { Problem } from "../edge/http/problem.ts";

/** The files by their path below `directory`. */
async function readAll(directory: string): Promise<ReadonlyMap<string, Content>> {
  const found = readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const entries = (await found).filter((entry) => entry.isFile());
  const files = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    const name = relative(directory, path).replaceAll(sep, "/");
    return [name, contentOf(await readFile(path), name)] as const;
  });
  return new Map(await Promise.all(files));
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

/** `assetBaseUrl` is the base of generated files; its origin is allowed for images and videos. */
export function pages(assetBaseUrl: () => string, directory = DIRECTORY) {
  let files: ReadonlyMap<string, Content> = new Map();
  return async (app: FastifyInstance) => {
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      const path = (request.params as { "*"?: string })["*"] ?? "";
      if (path === "api" || path.startsWith("api/")) throw new Problem("route_not_found");
      if (!files.has("index.html")) files = await readAll(directory);
      const file = files.get(path);
      void reply.headers(HEADERS);
      if (file && path !== "index.html") {
        void reply.header("cache-control", path.startsWith("assets/") ? IMMUTABLE : "no-cache");
        return sendContent(request, reply, file);
      }
      if (/\.[a-z0-9]+$/i.test(path) && path !== "index.html") throw new Problem("route_not_found");
      const page = files.get("index.html");
      const nonce = randomBytes(16).toString("base64url");
      return reply
        .code(page ? 200 : 503)
        .header("cache-control", "no-store")
        .header("content-security-policy", policy(nonce, assetBaseUrl()))
        .type("text/html; charset=utf-8")
        .send(page ? page.body.toString("utf8").replaceAll(NONCE, nonce) : NOT_BUILT);
    };
    app.get("/dashboard", handler);
    app.get("/dashboard/*", handler);
  };
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
