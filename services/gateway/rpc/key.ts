/** Maps an API key's row to the RPC message. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ApiKeySchema } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { modeOf } from "#runtime/mode.ts";
import type { AccountKeyRow } from "../store/account-keys.ts";

export function toKey(
  accountId: string,
  row: AccountKeyRow,
): MessageInitShape<typeof ApiKeySchema> {
  return {
    id: row.id,
    accountId,
    mode: modeOf(row.mode),
    name: row.name,
    prefix: row.prefix,
    lastFour: row.lastFour,
    createdBy: row.createdBy ?? "",
    createdAt: timestampFromDate(row.createdAt),
    ...(row.lastUsedAt === null ? {} : { lastUsedAt: timestampFromDate(row.lastUsedAt) }),
    ...(row.expiresAt === null ? {} : { expiresAt: timestampFromDate(row.expiresAt) }),
    ...(row.revokedAt === null ? {} : { revokedAt: timestampFromDate(row.revokedAt) }),
  };
}
