/** Serves the API reference: its page, the renderer's files and the document with code samples. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Deps } from "../deps.ts";
import { withCodeSamples } from "./docs-samples.ts";

const require = createRequire(import.meta.url);

const pageFile = (name: string) => fileURLToPath(new URL(`./docs-page/${name}`, import.meta.url));

const HTML = "text/html; charset=utf-8";
const SCRIPT = "text/javascript; charset=utf-8";
const STYLE = "text/css; charset=utf-8";

const FILES = [
  { url: "/docs", type: HTML, path: () => pageFile("index.html") },
  { url: "/docs/page.js", type: SCRIPT, path: () => pageFile("page.js") },
  { url: "/docs/page.css", type: STYLE, path: () => pageFile("page.css") },
  {
    url: "/docs/swagger-ui-bundle.js",
    type: SCRIPT,
    path: () => require.resolve("swagger-ui-dist/swagger-ui-bundle.js"),
  },
  {
    url: "/docs/swagger-ui.css",
    type: STYLE,
    path: () => require.resolve("swagger-ui-dist/swagger-ui.css"),
  },
  {
    url: "/docs/favicon-32x32.png",
    type: "image/png",
    path: () => require.resolve("swagger-ui-dist/favicon-32x32.png"),
  },
];

/** Allows nothing inline and no other origin: markup injected into a description cannot run or send anything. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-cache",
};

/** Serves /docs and everything below it. */
export function docs({
  contract,
  publicUrl,
}: Pick<Deps, "contract" | "publicUrl">): (app: FastifyInstance) => Promise<void> {
  return async (app) => {
    for (const { url, type, path } of FILES) {
      const file = once(async () => taggedContent(await readFile(path())));
      app.get(url, async (request, reply) => sendContent(request, reply, type, await file()));
    }
    // Built at the first request: the public URL is known only once the port is open.
    const document = once(async () => {
      const sampled = withCodeSamples(contract.document, `${publicUrl()}${contract.prefix}`);
      return taggedContent(Buffer.from(JSON.stringify(sampled)));
    });
    app.get("/docs/openapi.json", async (request, reply) =>
      sendContent(request, reply, "application/json; charset=utf-8", await document()),
    );
  };
}

type TaggedContent = { content: Buffer; etag: string };

function taggedContent(content: Buffer): TaggedContent {
  return { content, etag: `"${createHash("sha256").update(content).digest("base64url")}"` };
}

function sendContent(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  type: string,
  { content, etag }: TaggedContent,
): FastifyReply {
  void reply.headers({ ...HEADERS, etag });
  if (headers["if-none-match"] === etag) return reply.code(304).send();
  return reply.type(type).send(content);
}

/** Caches the result of `make` from the first call on; a failure is not cached. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
