/** SetRetention: sets how long an account's outputs are kept. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { callerKey } from "#runtime/rpc/access.ts";
import type { Deps } from "../deps.ts";
import { setRetention as storeRetention } from "../store/asset-retention.ts";

export function setRetention(deps: Deps): ServiceImpl<typeof DeliveryService>["setRetention"] {
  return async ({ accountId, days = null }, { values }) => {
    await storeRetention(deps.sql, {
      accountId,
      days,
      at: deps.clock.now(),
      by: values.get(callerKey),
    });
    return {};
  };
}
