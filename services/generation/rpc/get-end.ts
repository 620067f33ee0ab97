/** GetEnd: what delivery needs for the webhook of an end that it heard of. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Deps } from "../deps.ts";
import { toGeneration } from "../domain/generation.ts";

/** Empty if delivery has confirmed the end, or the generation was deleted: nothing is to be sent. Errors: none. */
export function getEnd(deps: Deps): ServiceImpl<typeof GenerationService>["getEnd"] {
  return async ({ accountId, generationId }) => {
    const row = await deps.find(accountId, generationId);
    return row?.step === "notify" ? { generation: toGeneration(row) } : {};
  };
}
