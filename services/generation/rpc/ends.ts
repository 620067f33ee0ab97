/** The RPCs on the ends of generations. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { isGenerationId } from "#runtime/id.ts";
import type { Deps } from "./deps.ts";
import { listStates } from "../store/lists.ts";
import { generationStatusOf, isTerminal } from "#vocabulary/generation-status.ts";
import { stepAfterNotify, toGeneration } from "../domain/generation.ts";
import { confirmAcceptedIfWaiting } from "../store/ends.ts";

/** FindEnded: which of many generations have ended, and where the others stand, in one look. */
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

/** Empty if delivery has confirmed the end, or the generation was deleted: nothing is to be sent. Errors: none. */
export function getEnd(deps: Deps): ServiceImpl<typeof GenerationService>["getEnd"] {
  return async ({ accountId, generationId }) => {
    const row = await deps.find(accountId, generationId);
    return row?.step === "notify" ? { generation: toGeneration(row) } : {};
  };
}

/** After it the end is not sent to delivery again. A repeated or late confirmation changes nothing. Errors: none. */
export function confirmAccepted(
  deps: Deps,
): ServiceImpl<typeof GenerationService>["confirmAccepted"] {
  return async (request) => {
    const row = await deps.find(request.accountId, request.generationId);
    if (row?.step === "notify" && isTerminal(row.status)) {
      const step = stepAfterNotify(row, row.status);
      await confirmAcceptedIfWaiting(deps.sql, row, step, deps.clock.now());
    }
    return {};
  };
}
