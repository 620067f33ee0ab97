/** GetUsage: the number and bytes of an account's outputs, kept and deleted. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { Deps } from "../deps.ts";
import { sumUsage } from "../store/asset-retention.ts";

export function getUsage(deps: Deps): ServiceImpl<typeof DeliveryService>["getUsage"] {
  return async ({ accountId }) => {
    const sums = await sumUsage(deps.sql, accountId);
    const { oldestKeptAt: oldest, days } = sums;
    return {
      kept: { outputs: sums.keptOutputs, bytes: sums.keptBytes },
      deleted: { outputs: sums.deletedOutputs, bytes: sums.deletedBytes },
      ...(oldest === null ? {} : { oldestKeptAt: timestampFromDate(oldest) }),
      ...(days === null ? {} : { retentionDays: days }),
    };
  };
}
