/** Reads a JSON body: its bytes up to the limit, then its text, then its value. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Readable } from "node:stream";
import { Problem } from "../problem.ts";

type RawBody = { bytes: Buffer | undefined };

/** From here on `request.body` holds a raw body, or nothing where the request has none. */
export function acceptJson(app: FastifyInstance, maxBytes: number): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    async (_request: FastifyRequest, payload: Readable) => {
      const raw: RawBody = { bytes: await readUpTo(payload, maxBytes) };
      return raw;
    },
  );
}

/** The value that the raw body holds; throws the problem where it holds none. */
export function parseBody(raw: unknown): unknown {
  if (raw === undefined) throw invalidJson("The body is empty. Send a JSON object.");
  const { bytes } = raw as RawBody;
  if (bytes === undefined) throw new Problem("body_too_large");
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw invalidJson(bytes.length === 0 ? "The body is empty. Send a JSON object." : undefined);
  }
}

function invalidJson(message: string | undefined): Problem {
  return new Problem("invalid_json", message === undefined ? {} : { message });
}

/** Nobody is left to read this; it is not a fault of the service. */
function cutOff(): Problem {
  return invalidJson("The request ended before its body did. Send it again.");
}

/**
 * All bytes, or undefined where there are more than `maxBytes`. What comes after the limit is read and dropped,
 * so that the client can finish sending and read the answer on a connection that stays open.
 */
function readUpTo(stream: Readable, maxBytes: number): Promise<Buffer | undefined> {
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
    stream.once("error", () => reject(cutOff()));
    stream.once("close", () => reject(cutOff()));
  });
}
