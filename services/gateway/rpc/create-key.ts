/** CreateKey: an API key, shown once. */
import type { ServiceImpl } from "@connectrpc/connect";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/errors.ts";
import { modeName } from "#runtime/mode.ts";
import { hashApiKey, keyPrefix } from "../domain/api-key.ts";
import type { AccountDeps } from "../deps.ts";
import { findAccount } from "../store/accounts.ts";
import { insertKeyIfAllowed } from "../store/api-keys.ts";
import { accountNotFound } from "./account.ts";

export function createKey(deps: AccountDeps): ServiceImpl<typeof AccountService>["createKey"] {
  return async ({ accountId, mode: keyMode, name }) => {
    const mode = modeName(keyMode);
    const secret = deps.newApiKey(mode);
    const shown = { prefix: keyPrefix(mode), lastFour: secret.slice(-4) };
    const key = { ...shown, accountId, id: deps.newId("key"), name };
    const at = deps.clock.now();
    const row = await insertKeyIfAllowed(deps.sql, { ...key, mode, at, hash: hashApiKey(secret) });
    if (!row) throw await refusalOf(deps, accountId);
    return { key: { ...key, mode: keyMode, createdAt: timestampFromDate(at) }, secret };
  };
}

async function refusalOf({ sql }: AccountDeps, accountId: string): Promise<Error> {
  if (!(await findAccount(sql, accountId))) return accountNotFound(accountId);
  return refusal({
    reason: ErrorReason.PRODUCTION_REQUIRED,
    field: "mode",
    message: "the account has test access only; grant it production before making a live key",
  });
}
