/** FindEnded: which of many generations have ended, in one look. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { isGenerationId } from "#runtime/id.ts";
import type { Deps } from "../deps.ts";
import { listEnded } from "../store/lists.ts";

export function findEnded(deps: Deps): ServiceImpl<typeof GenerationService>["findEnded"] {
  return async ({ generations }) => {
    // Clients choose these names; one that is no id must not fail the look for all others.
    const named = generations.filter(({ generationId: id }) => isGenerationId(id));
    return { generationIds: await listEnded(deps.sql, named) };
  };
}
