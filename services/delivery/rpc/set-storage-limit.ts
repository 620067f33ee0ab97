/** SetStorageLimit: sets how many bytes an account may keep in a mode. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { modeName } from "#vocabulary/mode.ts";
import type { Deps } from "./deps.ts";
import { toStorage } from "../domain/storage.ts";
import { setStorageLimit as storeLimit } from "../store/storage.ts";

export function setStorageLimit({
  sql,
}: Deps): ServiceImpl<typeof DeliveryService>["setStorageLimit"] {
  return async ({ accountId, mode, limitBytes = null }) => {
    const storage = await storeLimit(sql, { accountId, mode: modeName(mode) }, limitBytes);
    return { storage: toStorage(storage) };
  };
}
