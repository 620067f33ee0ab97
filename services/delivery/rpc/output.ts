/** A stored output as RPCs carry it. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { OutputSchema } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { StoredAsset } from "../store/assets.ts";

export function toOutput(asset: StoredAsset): MessageInitShape<typeof OutputSchema> {
  return {
    key: asset.key,
    thumbnailKey: asset.thumbnailKey ?? undefined,
    contentType: asset.contentType,
    width: asset.width,
    height: asset.height,
    duration: asset.durationSeconds ?? undefined,
    bytes: asset.bytes,
  };
}
