/** What every operation is, and how it calls the services behind it. */
import type { CallOptions } from "@connectrpc/connect";
import type { FastifyReply, FastifyRequest } from "fastify";
import { REQUEST_ID_HEADER } from "#runtime/rpc/interceptors.ts";
import type { Deps } from "../deps.ts";

/** Answers a request that the document finds nothing wrong with; refusals are thrown. */
export type Operation = (
  deps: Deps,
) => (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

export const READ_TIMEOUT_MS = 5_000;

/** Options of an RPC that is made for `request`: its id goes along. */
export function callFor(request: FastifyRequest, timeoutMs: number): CallOptions {
  return { timeoutMs, headers: { [REQUEST_ID_HEADER]: request.id } };
}

/** The `id` in the path, decoded. */
export function idIn(request: FastifyRequest): string {
  return (request.params as { id: string }).id;
}

/** A part that every answer of this RPC has. */
export function answered<T>(part: T | undefined): T {
  if (part === undefined) throw new Error("the answer lacks a part that it always has");
  return part;
}
