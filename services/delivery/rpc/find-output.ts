/** FindOutput: what is stored of a generation, for a caller that lost the answer of StoreOutput. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { Deps } from "../deps.ts";
import { countMissingAssets, listStoredAssets } from "../store/assets.ts";
import { toOutput } from "./output.ts";

export function findOutput(deps: Deps): ServiceImpl<typeof DeliveryService>["findOutput"] {
  return async ({ accountId, generationId }) => {
    // Counted first: an output that is stored in between is in the list.
    const missing = await countMissingAssets(deps.sql, accountId, generationId);
    const stored = await listStoredAssets(deps.sql, accountId, generationId);
    return { output: stored.map(toOutput), missing };
  };
}
