/** The RPCs on API keys. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  ApiKeySchema,
  KeyPermissions as SentPermissions,
} from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { type KindName, modeOf, modeName } from "#vocabulary/names.ts";
import * as store from "../store/store.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { invalidField, notFound, refusal } from "#runtime/rpc/errors.ts";
import { fieldsOf } from "#runtime/row-fields.ts";
import { issueKey, limitsOfKeys, revokeKey } from "../accounts/keys.ts";
import {
  FULL_ACCESS,
  isConsistent,
  publicPermissions,
  type KeyPermissions,
} from "../domain/key-permissions.ts";
import { byOperator, type Rpcs } from "./deps.ts";
import type { DashboardDeps } from "../dashboard/session/sessions.ts";
import { accountNotFound } from "./accounts.ts";

function toKey(accountId: string, row: store.AccountKeyRow): MessageInitShape<typeof ApiKeySchema> {
  const permissions = publicPermissions(row);
  return { ...fieldsOf(row), accountId, mode: modeOf(row.mode), permissions };
}

export function keyRpcs(deps: DashboardDeps) {
  return {
    async createKey(request, context) {
      const { accountId, mode: modeNumber, name, dayTokens: day, monthTokens: month } = request;
      const mode = modeName(modeNumber);
      const permissions = permissionsOf(request.permissions);
      if (!(await store.findAccount(deps.sql, accountId))) throw accountNotFound(accountId);
      if (!isConsistent(permissions)) {
        throw invalidField("permissions.access", "a key that only reads has no kinds and models");
      }
      if (mode === "test" && (day !== undefined || month !== undefined)) {
        throw invalidField("day_tokens", "only live keys have limits of Tokens");
      }
      const limits = { day, month };
      const wanted = { mode, name, permissions, limits, createdBy: store.OPERATOR };
      const key = await deps.sql.begin((sql) =>
        issueKey(deps, byOperator(deps, sql, accountId, context), wanted),
      );
      if (!key) {
        throw refusal({
          reason: ErrorReason.PRODUCTION_REQUIRED,
          field: "mode",
          message:
            "the account has test access only; grant it production (ops account grant-production) before creating a live key",
        });
      }
      return { key: toKey(accountId, key), secret: key.secret };
    },
    async listKeys({ accountId }) {
      if (!(await store.findAccount(deps.sql, accountId))) throw accountNotFound(accountId);
      const rows = await store.listAccountKeys(deps.sql, accountId);
      // A key that must be revoked is found without its limits, too.
      const limitsOf = await limitsOfKeys(deps, accountId).catch((error: unknown) => {
        deps.log.warn({ err: error, account_id: accountId }, "limits of keys unavailable");
        return () => ({ day: undefined, month: undefined });
      });
      const keys = rows.map((row) => {
        const { day: dayTokens, month: monthTokens } = limitsOf(row.id);
        return { ...toKey(accountId, row), dayTokens, monthTokens };
      });
      return { keys };
    },
    revokeKey: ({ accountId, keyId }, context) =>
      deps.sql.begin(async (sql) => {
        const editor = byOperator(deps, sql, accountId, context);
        const row = await revokeKey(deps.clock.now(), editor, keyId);
        if (!row) throw notFound("key_id", `account "${accountId}" has no key "${keyId}"`);
        return { key: toKey(accountId, row) };
      }),
  } satisfies Rpcs;
}

function permissionsOf(sent: SentPermissions | undefined): KeyPermissions {
  if (!sent) return FULL_ACCESS;
  const { access, kinds, models } = sent;
  return {
    access: access === "read" ? "read" : "full",
    kinds: kinds.length === 0 ? null : (kinds as KindName[]),
    models: models.length === 0 ? null : models,
  };
}
