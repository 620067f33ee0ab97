/** What both retrieves share: one generation of the caller's account and mode, or 404. */
import type { FastifyRequest } from "fastify";
import type { Kind } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { modeOf } from "#runtime/mode.ts";
import { publicGeneration } from "#runtime/public/generation.ts";
import type { Deps } from "../deps.ts";
import { callerOf } from "../http/request-state.ts";
import { Problem } from "../problem.ts";
import { READ_TIMEOUT_MS, answered, callFor, idIn } from "./operation.ts";

/** `idSchema` names the document's schema of the id: what has another form is nobody's. */
export async function retrieveGeneration(
  deps: Deps,
  request: FastifyRequest,
  kind: Kind,
  idSchema: string,
) {
  const generationId = idIn(request);
  if (!deps.contract.matches(idSchema, generationId)) throw new Problem("generation_not_found");
  request.generationId = generationId;
  const { accountId, mode } = callerOf(request);
  const { generation } = await deps.generation.getGeneration(
    { accountId, mode: modeOf(mode), kind, generationId },
    callFor(request, READ_TIMEOUT_MS),
  );
  return publicGeneration(answered(generation), deps.assetBaseUrl());
}
