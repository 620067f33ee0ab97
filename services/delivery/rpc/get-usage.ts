/** GetUsage: the number and bytes of an account's outputs, kept and deleted. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { Deps } from "../deps.ts";
import { sumUsage } from "../store/asset-retention.ts";

export function getUsage(deps: Deps): ServiceImpl<typeof DeliveryService>["getUsage"] {
  return async ({ accountId }) => {
    const sums = await sumUsage(deps.sql, accountId);
    const { oldest_kept_at: oldest, days } = sums;
    return {
      kept: { outputs: sums.kept_outputs, bytes: sums.kept_bytes },
      deleted: { outputs: sums.deleted_outputs, bytes: sums.deleted_bytes },
      ...(oldest === null ? {} : { oldestKeptAt: timestampFromDate(oldest) }),
      ...(days === null ? {} : { retentionDays: days }),
    };
  };
}
