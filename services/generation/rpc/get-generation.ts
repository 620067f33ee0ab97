/** GetGeneration: one generation of the caller's account and mode. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { modeName } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { KIND_NAME, toGeneration } from "../domain/generation.ts";
import { findGeneration } from "../store/generations.ts";
import { notFound } from "./create-generation.ts";

export function getGeneration(deps: Deps): ServiceImpl<typeof GenerationService>["getGeneration"] {
  return async (request) => {
    const row = await findGeneration(deps.sql, request.accountId, request.generationId);
    const isTheirs =
      row?.status && row.mode === modeName(request.mode) && row.kind === KIND_NAME[request.kind];
    if (!isTheirs) throw notFound(request.generationId);
    return { generation: toGeneration(row) };
  };
}
