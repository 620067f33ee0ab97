/** Content that is sent compressed, and again only when it has changed. */
import { createHash } from "node:crypto";
import { extname } from "node:path";
import { gzipSync } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

export type Content = { body: Buffer; gzipped: Buffer | undefined; type: string; etag: string };

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".whl": "application/zip",
  ".tgz": "application/gzip",
};

/** Pictures and archives are compressed already. */
const COMPRESSIBLE = /^(?:text\/|application\/json|image\/svg)/;

/** Its type is that of a file called `name`. */
export function contentOf(text: string | Buffer, name: string): Content {
  const type = TYPES[extname(name)] ?? "application/octet-stream";
  const body = Buffer.from(text);
  return {
    body,
    gzipped: COMPRESSIBLE.test(type) ? gzipSync(body) : undefined,
    type,
    etag: `"${createHash("sha256").update(body).digest("base64url")}"`,
  };
}

export function sendContent(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { body, gzipped, type, etag }: Content,
): FastifyReply {
  void reply.headers({ etag, vary: "Accept-Encoding" });
  const isKnown = headers["if-none-match"]?.includes(etag);
  if (reply.statusCode === 200 && isKnown) return reply.code(304).send();
  const isZipped = gzipped && /\bgzip\b/.test(String(headers["accept-encoding"] ?? ""));
  if (isZipped) void reply.header("content-encoding", "gzip");
  return reply.type(type).send(isZipped ? gzipped : body);
}
