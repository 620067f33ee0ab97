/** Reads the JSON-RPC message of a request, and refuses what would take long to read. */
import type { FastifyRequest } from "fastify";
import { parseBody } from "../http/json-body.ts";
import { Problem } from "../http/problem.ts";

/** What can begin a part of a message. */
const STARTS: readonly number[] = [...Buffer.from(",[{")];
/** All that the longest prompts can have of these, and more than a tool takes besides. Each costs what hundreds of bytes do. */
export const MAX_STARTS = 8_000;

export type Message = {
  /** Not checked; undefined where the request is no POST. */
  message: unknown;
  bytes: number;
};

/** The versions of the protocol that are served have one message in a request; many would count as one. */
export function messageOf({ method, body }: FastifyRequest): Message {
  if (method !== "POST") return { message: undefined, bytes: 0 };
  if (body instanceof Buffer && hasTooMany(body)) throw tooManyParts();
  const { value, bytes } = parseBody(body instanceof Buffer ? { bytes: body } : undefined);
  if (!Array.isArray(value)) return { message: value, bytes };
  throw new Problem("invalid_value", { message: "Send each message in a request of its own." });
}

function hasTooMany(body: Buffer): boolean {
  let left = MAX_STARTS;
  for (const byte of body) if (STARTS.includes(byte)) left -= 1;
  return left < 0;
}

function tooManyParts(): Problem {
  return new Problem("body_too_large", {
    message: `The message has more than ${MAX_STARTS} commas and opening brackets. Send a smaller one.`,
  });
}
