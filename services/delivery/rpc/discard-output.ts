/** DiscardOutput: leaves nothing stored of a generation that ended without success. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { Deps } from "../deps.ts";
import { discardAssets } from "../store/asset-deletions.ts";
import { insertDiscardedOutput } from "../store/discarded-outputs.ts";

export function discardOutput(deps: Deps): ServiceImpl<typeof DeliveryService>["discardOutput"] {
  return async ({ accountId, generationId }) => {
    const at = deps.clock.now();
    // Committed first: what is recorded before it is marked below, and nothing is recorded after it.
    await insertDiscardedOutput(deps.sql, accountId, generationId, at);
    await deps.sql.begin((tx) => discardAssets(tx, { accountId, generationId, at }));
    return {};
  };
}
