/** The RPCs on stored outputs. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { OutputSchema } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { countMissingAssets, listStoredAssets, type StoredAsset } from "../store/assets.ts";
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { Deps } from "./deps.ts";
import { discardOutputs } from "../copy/discard-outputs.ts";

/** A stored output as RPCs carry it. */
export function toOutput(asset: StoredAsset): MessageInitShape<typeof OutputSchema> {
  return {
    key: asset.key,
    thumbnailKey: asset.thumbnailKey ?? undefined,
    contentType: asset.contentType,
    width: asset.width,
    height: asset.height,
    duration: asset.durationSeconds ?? undefined,
    bytes: asset.bytes,
    provenance: asset.provenance ?? undefined,
  };
}

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

export function discardOutput(deps: Deps): ServiceImpl<typeof DeliveryService>["discardOutput"] {
  return async ({ accountId, generationId }) => {
    await discardOutputs(deps, { accountId, generationId, at: deps.clock.now() });
    return {};
  };
}
