/** Reads a JSON body: bytes up to the limit, then UTF-8 text, then the value. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { Problem, invalidRequest } from "../problem.ts";
import { paramOf } from "../validation/param.ts";
import { repeatedField } from "../validation/repeated-field.ts";

type RawBody = { bytes: Buffer | undefined };

/** Makes `request.body` a raw body, or undefined when the request has none. */
export function acceptJson(app: FastifyInstance, maxBytes: number): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    async ({ headers, routeOptions }: FastifyRequest, payload: Readable) => {
      if (routeOptions.config.checks?.hasBody) refuseEncoded(headers);
      const raw: RawBody = { bytes: await readUpTo(payload, maxBytes) };
      return raw;
    },
  );
}

/** Parses a raw body; throws a problem when it is empty, too large or not JSON, or has a field twice. */
export function parseBody(raw: unknown): unknown {
  if (raw === undefined) throw invalidJson("The body is empty. Send a JSON object.");
  const { bytes } = raw as RawBody;
  if (bytes === undefined) throw new Problem("body_too_large");
  const { text, value } = decode(bytes);
  const repeated = repeatedField(text);
  if (repeated === undefined) return value;
  const param = paramOf(repeated, value);
  const message = `${param} is in the body twice. Send it once.`;
  throw invalidRequest([{ code: "invalid_value", message, param }]);
}

function decode(bytes: Buffer): { text: string; value: unknown } {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch {
    throw invalidJson(bytes.length === 0 ? "The body is empty. Send a JSON object." : undefined);
  }
}

/** Throws unless the body is as it is. */
export function refuseEncoded(headers: IncomingHttpHeaders): void {
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding.toLowerCase() === "identity") return;
  throw new Problem("unsupported_media_type", {
    message: "Send the body as it is, without Content-Encoding.",
    param: "Content-Encoding",
  });
}

function invalidJson(message: string | undefined): Problem {
  return new Problem("invalid_json", message === undefined ? {} : { message });
}

/** No client is left to read this. It only keeps the error out of the log of internal errors. */
function incompleteBody(): Problem {
  return invalidJson("The request ended before its body did. Send it again.");
}

/**
 * All bytes, or undefined when there are more than `maxBytes`. Bytes after the limit are read and dropped, so that the
 * client can finish sending and read the response on a connection that stays open.
 */
export function readUpTo(stream: Readable, maxBytes: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    stream.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) return void chunks.push(chunk);
      chunks.length = 0;
      resolve(undefined);
    });
    stream.once("end", () => resolve(Buffer.concat(chunks)));
    stream.once("error", () => reject(incompleteBody()));
    // An error is only made for a body that did not end.
    stream.once("close", () => stream.readableEnded || reject(incompleteBody()));
  });
}
