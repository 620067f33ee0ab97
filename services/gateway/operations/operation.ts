/** The type of every operation, and what operations share when they call other services. */
import type { CallOptions } from "@connectrpc/connect";
import type { FastifyReply, FastifyRequest } from "fastify";
import { REQUEST_ID_HEADER } from "#runtime/rpc/interceptors.ts";
import type { Deps } from "../deps.ts";

/** Handles a request that is valid under the document; errors are thrown as problems. */
export type Operation = (
  deps: Deps,
) => (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** Options of an RPC made on behalf of `request`: the request's id. */
export function callFor(request: FastifyRequest): CallOptions {
  return { headers: { [REQUEST_ID_HEADER]: request.id } };
}

/** The `id` in the path, decoded. */
export function pathId(request: FastifyRequest): string {
  return (request.params as { id: string }).id;
}

/** A message field that every response of the RPC has; throws when it is missing. */
export function required<T>(field: T | undefined): T {
  if (field === undefined) throw new Error("the RPC's response lacks a required field");
  return field;
}
