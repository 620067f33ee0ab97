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

/** Why `id` is none of a `noun`; undefined if it may be one. `idSchema` is the name of a schema of the document. */
export function idFault(
  { contract }: Pick<Deps, "contract">,
  id: string,
  noun: string,
  idSchema: string,
): string | undefined {
  const schema = contract.document.components.schemas[idSchema];
  const { pattern, examples } = schema as { pattern: string; examples: [string] };
  if (new RegExp(pattern).test(id)) return undefined;
  return `This is no id of a ${noun}: one looks like ${examples[0]}. Check the id.`;
}
