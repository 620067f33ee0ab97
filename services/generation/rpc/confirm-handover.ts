/** ConfirmHandover: delivery has stored the end of a generation. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Deps } from "../deps.ts";
import { confirmHandoverIfWaiting } from "../store/generations.ts";

/** After it the end is not sent to delivery again. A repeated or late confirmation changes nothing. Errors: none. */
export function confirmHandover(
  deps: Deps,
): ServiceImpl<typeof GenerationService>["confirmHandover"] {
  return async (request) => {
    const { accountId, generationId } = request;
    await confirmHandoverIfWaiting(deps.sql, accountId, generationId, deps.clock.now());
    return {};
  };
}
