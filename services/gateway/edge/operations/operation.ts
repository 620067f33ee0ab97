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

/** For what is in the path in place of an id: how one looks. `idSchema` is the name of a schema of the document. */
export function noIdMessage(
  { contract }: Pick<Deps, "contract">,
  noun: string,
  idSchema: string,
): string {
  const schema = contract.document.components.schemas[idSchema] as { examples: [string] };
  return `This is no id of a ${noun}: one looks like ${schema.examples[0]}. Check the id.`;
}
