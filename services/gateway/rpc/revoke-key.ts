/** RevokeKey: revokes an API key for good. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { AccountDeps } from "../deps.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { findAccountKey, revokeKeyIfActive } from "../store/account-keys.ts";
import { toKey } from "./key.ts";
import { operatorRecorder } from "./record-change.ts";

export function revokeKey(deps: AccountDeps): ServiceImpl<typeof AccountService>["revokeKey"] {
  return ({ accountId, keyId }, context) =>
    deps.sql.begin(async (sql) => {
      const revoked = await revokeKeyIfActive(sql, accountId, keyId, deps.clock.now());
      const row = revoked ?? (await findAccountKey(sql, accountId, keyId));
      if (!row) throw keyNotFound(accountId, keyId);
      const { mode, name } = row;
      const record = operatorRecorder(deps, sql, accountId, context);
      if (revoked) await record({ action: "key.revoke", target: keyId, mode, details: { name } });
      return { key: toKey(accountId, row) };
    });
}

function keyNotFound(accountId: string, keyId: string): Error {
  return refusal({
    reason: ErrorReason.NOT_FOUND,
    field: "key_id",
    message: `account "${accountId}" has no key "${keyId}"`,
  });
}
