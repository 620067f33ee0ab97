/** Reads the catalog with the prices and availability that apply to the caller. */
import type { FastifyRequest } from "fastify";
import type { Model } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { modeOf } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { callerOf } from "../http/request-state.ts";

export async function catalogFor(deps: Deps, request: FastifyRequest): Promise<Model[]> {
  const { accountId, mode } = callerOf(request);
  return (await deps.generation.listModels({ accountId, mode: modeOf(mode) })).models;
}
