/** The type of every operation, and what operations share. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Deps } from "./deps.ts";

/** Handles a request that is valid under the document; errors are thrown as problems. */
export type Operation = (
  deps: Deps,
) => (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** The `id` in the path, decoded. */
export function pathId(request: FastifyRequest): string {
  return (request.params as { id: string }).id;
}
