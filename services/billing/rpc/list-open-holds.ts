/** ListOpenHolds: a page of the open holds of all accounts. */
import type { ServiceImpl } from "@connectrpc/connect";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { modeOf } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { holdName } from "../domain/hold-name.ts";
import { listOpenHolds as listRows } from "../store/open-holds.ts";

export function listOpenHolds(deps: Deps): ServiceImpl<typeof BillingService>["listOpenHolds"] {
  return async ({ createdBefore, after, limit }) => {
    const before = createdBefore ? timestampDate(createdBefore) : deps.clock.now();
    const rows = await listRows(deps.sql, before, after && holdName(after), limit);
    return {
      holds: rows.map((row) => ({
        accountId: row.accountId,
        mode: modeOf(row.mode),
        generationId: row.generationId,
        attempt: row.attempt,
      })),
    };
  };
}
