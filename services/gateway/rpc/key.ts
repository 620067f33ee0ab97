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
    lastFour: row.last_four,
    createdAt: timestampFromDate(row.created_at),
    ...(row.last_used_at === null ? {} : { lastUsedAt: timestampFromDate(row.last_used_at) }),
    ...(row.expires_at === null ? {} : { expiresAt: timestampFromDate(row.expires_at) }),
    ...(row.revoked_at === null ? {} : { revokedAt: timestampFromDate(row.revoked_at) }),
  };
}
