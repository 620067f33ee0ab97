/** Reads the JSON-RPC message of a request, and refuses what would take long to read. */
import type { FastifyRequest } from "fastify";
import { parseBody } from "../http/json-body.ts";
import { Problem } from "../http/problem.ts";

export type Message = {
  /** Not checked; undefined where the request is no POST. */
  message: unknown;
  bytes: number;
};

/** The versions of the protocol that are served have one message in a request; many would count as one. */
export function messageOf({ method, body }: FastifyRequest): Message {
  if (method !== "POST") return { message: undefined, bytes: 0 };
  const { value, bytes } = parseBody(body instanceof Buffer ? { bytes: body } : undefined, 0);
  if (!Array.isArray(value)) return { message: value, bytes };
  throw new Problem("invalid_value", { message: "Send each message in a request of its own." });
}
