/** DiscardOutput: leaves nothing stored of a generation that ended without success. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { discardOutputs } from "../copy/discard-outputs.ts";
import type { Deps } from "../deps.ts";

export function discardOutput(deps: Deps): ServiceImpl<typeof DeliveryService>["discardOutput"] {
  return async ({ accountId, generationId }) => {
    await discardOutputs(deps, { accountId, generationId, at: deps.clock.now() });
    return {};
  };
}
