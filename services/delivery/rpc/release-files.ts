/** ReleaseFiles: a create that was undone needs its files no longer. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { Deps } from "../deps.ts";
import { releaseFiles as release } from "../store/files.ts";

export function releaseFiles({ sql }: Deps): ServiceImpl<typeof DeliveryService>["releaseFiles"] {
  return async (undone) => {
    await release(sql, undone, null);
    return {};
  };
}
