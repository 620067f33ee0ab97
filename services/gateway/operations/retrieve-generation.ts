/** What the operations on one generation share: its id, and the generation of the caller's account and mode, or 404. */
import type { FastifyRequest } from "fastify";
import type { Generation, Kind } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { modeOf } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { callerOf } from "../http/request-state.ts";
import { Problem } from "../problem.ts";
import { READ_TIMEOUT_MS, answered, callFor, idIn } from "./operation.ts";

/** The id in the path; `idSchema` names the document's schema of it: what has another form is nobody's. */
export function generationIdIn(deps: Deps, request: FastifyRequest, idSchema: string): string {
  const generationId = idIn(request);
  if (!deps.contract.matches(idSchema, generationId)) throw new Problem("generation_not_found");
  request.generationId = generationId;
  return generationId;
}

export async function getGeneration(
  deps: Deps,
  request: FastifyRequest,
  kind: Kind,
  generationId: string,
): Promise<Generation> {
  const { accountId, mode } = callerOf(request);
  const { generation } = await deps.generation.getGeneration(
    { accountId, mode: modeOf(mode), kind, generationId },
    callFor(request, READ_TIMEOUT_MS),
  );
  return answered(generation);
}
