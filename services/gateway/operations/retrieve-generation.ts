/** Shared by the operations on one generation: the id in the path, and reading the generation or 404. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Generation, Kind } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { isTerminal } from "#runtime/generation-status.ts";
import { modeOf } from "#runtime/mode.ts";
import { publicGeneration } from "#runtime/public-generation.ts";
import type { Deps } from "../deps.ts";
import { callerOf } from "../http/request-state.ts";
import { Problem } from "../problem.ts";
import { required, pathId } from "./operation.ts";

/** The id in the path; 404 when it does not match `idSchema`, the name of a schema of the document. */
export function pathGenerationId(deps: Deps, request: FastifyRequest, idSchema: string): string {
  const generationId = pathId(request);
  if (!deps.contract.matches(idSchema, generationId)) throw new Problem("generation_not_found");
  request.generationId = generationId;
  return generationId;
}

/** Answers with the generation; one that has ended never changes again. */
export function answerGeneration(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  read: () => Promise<Generation>,
): Promise<string> {
  const present = async () => publicGeneration(await read(), deps.assetBaseUrl());
  return deps.reads.answer(request, reply, present, ({ status }) => isTerminal(status));
}

/** Reads a generation of the caller's account and mode; 404 for any other. */
export async function getGeneration(
  deps: Deps,
  request: FastifyRequest,
  kind: Kind,
  generationId: string,
): Promise<Generation> {
  const { accountId, mode } = callerOf(request);
  const { generation } = await deps.generation.getGeneration({
    accountId,
    mode: modeOf(mode),
    kind,
    generationId,
  });
  return required(generation);
}
