/** GetGeneration: reads one generation of an account. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { kindName } from "#runtime/kind.ts";
import { modeName } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { toGeneration } from "../domain/generation.ts";
import { findVisible } from "../store/find-generation.ts";
import { deleted, notFound } from "./refusals.ts";

/** Errors: NOT_FOUND, also for a generation of another account, mode or kind; GENERATION_DELETED. */
export function getGeneration(deps: Deps): ServiceImpl<typeof GenerationService>["getGeneration"] {
  return async (request) => {
    const { accountId, generationId: id } = request;
    const address = { accountId, mode: modeName(request.mode), kind: kindName(request.kind), id };
    const row = await findVisible(deps.find, address);
    if (!row) throw notFound(id);
    if (row.deletedAt) throw deleted();
    return { generation: toGeneration(row) };
  };
}
