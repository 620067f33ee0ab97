/** ReleaseFiles: a create that was undone needs its files no longer. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { Deps } from "../deps.ts";
import { UNUSED_FILE_MS } from "../domain/file.ts";
import { releaseFiles as release } from "../store/files.ts";

export function releaseFiles({ sql }: Deps): ServiceImpl<typeof DeliveryService>["releaseFiles"] {
  return async (undone) => {
    const end = { unusedMs: UNUSED_FILE_MS, deleteAt: null };
    await sql.begin((tx) => release(tx, undone, end));
    return {};
  };
}
