/** RevokeKey: revokes an API key for good. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { AccountDeps } from "../deps.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { revokeAccountKey } from "../store/account-keys.ts";
import { toKey } from "./key.ts";

export function revokeKey({
  sql,
  clock,
}: AccountDeps): ServiceImpl<typeof AccountService>["revokeKey"] {
  return async ({ accountId, keyId }) => {
    const row = await revokeAccountKey(sql, accountId, keyId, clock.now());
    if (row) return { key: toKey(accountId, row) };
    throw refusal({
      reason: ErrorReason.NOT_FOUND,
      field: "key_id",
      message: `account "${accountId}" has no key "${keyId}"`,
    });
  };
}
