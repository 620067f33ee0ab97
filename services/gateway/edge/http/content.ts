/** Content that is sent compressed, and again only when it has changed. */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

export type Content = {
  body: Buffer;
  gzipped: Buffer | undefined;
  type: string;
  etag: string;
};

/** Pictures, fonts and archives are compressed already. */
const COMPRESSIBLE = /^(?:text\/|application\/(?:json|manifest)|image\/svg)/;

export function contentOf(text: string | Buffer, type: string): Content {
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
  if (reply.statusCode === 200 && headers["if-none-match"] === etag) return reply.code(304).send();
  const isZipped = gzipped && /\bgzip\b/.test(String(headers["accept-encoding"] ?? ""));
  if (isZipped) void reply.header("content-encoding", "gzip");
  return reply.type(type).send(isZipped ? gzipped : body);
}
