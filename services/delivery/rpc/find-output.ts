/** FindOutput: what is stored of a generation, for a caller that lost the answer of StoreOutput. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { Deps } from "../deps.ts";
import { countMissingAssets, listStoredAssets } from "../store/assets.ts";
import { toOutput } from "./output.ts";

export function findOutput(deps: Deps): ServiceImpl<typeof DeliveryService>["findOutput"] {
  return ({ accountId, generationId }) =>
    // One snapshot of both: an output that is stored in between must not hide another that is only reserved.
    deps.sql.begin("isolation level repeatable read", async (tx) => {
      const { missing, copying } = await countMissingAssets(
        tx,
        { accountId, generationId },
        deps.clock.now(),
      );
      const stored = await listStoredAssets(tx, accountId, generationId);
      return { output: stored.map(toOutput), missing, copying };
    });
}
