/** Maps an account's row to the RPC message. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { AccountSchema } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import type { AccountRow } from "../store/accounts.ts";

/** Throws NOT_FOUND when there is no row. */
export function toAccount(
  row: AccountRow | undefined,
  accountId: string,
): MessageInitShape<typeof AccountSchema> {
  if (!row) throw accountNotFound(accountId);
  return {
    id: row.accountId,
    name: row.name,
    productionGranted: row.productionGranted,
    createsPerMinute: row.createsPerMinute,
    readsPerMinute: row.readsPerMinute,
    maxUnfinished: row.maxUnfinished,
    createdAt: timestampFromDate(row.createdAt),
    ...(row.suspendedAt === null ? {} : { suspendedAt: timestampFromDate(row.suspendedAt) }),
  };
}

export function accountNotFound(accountId: string): Error {
  return refusal({
    reason: ErrorReason.NOT_FOUND,
    field: "account_id",
    message: `there is no account "${accountId}"`,
  });
}
