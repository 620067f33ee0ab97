import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { isGenerationId } from "#runtime/id.ts";
import type { Deps } from "./deps.ts";
import { listStates } from "../store/lists.ts";
import { generationStatusOf, isTerminal } from "#vocabulary/generation-status.ts";

export function findEnded(deps: Deps): ServiceImpl<typeof GenerationService>["findEnded"] {
  return async ({ generations, withStates }) => {
    // Clients choose these names; one that is no id must not fail the look for all others.
    const named = generations.filter(({ generationId: id }) => isGenerationId(id));
    const found = await listStates(deps.sql, named, { onlyEnded: !withStates });
    return {
      generationIds: found.filter(({ status }) => isTerminal(status)).map(({ id }) => id),
      states: found
        .filter(({ status }) => !isTerminal(status))
        .map(({ id, status, progress }) => ({
          generationId: id,
          status: generationStatusOf(status),
          progress,
        })),
    };
  };
}
