/** Operations on the API keys of an account. Who may call them: `x-roles` of the document, applied by `session/access.ts`. */
import { presentApiKey } from "../../edge/presenters/account.ts";
import { presentWholeList } from "../../edge/presenters/page.ts";
import {
  listAccountKeys,
  countKeys,
  renameAccountKey,
  findAccountKey,
  revokeKeyIfActive,
  isLiveKey,
  findKeyNames,
  setKeyPermissionsIfActive,
} from "../../store/account-keys.ts";
import { membershipOf, userOf, prefixedPathId } from "../session/request-state.ts";
import type { DashboardOperation, Schemas } from "../session/operation.ts";
import { issueKey } from "../../accounts/issue-key.ts";
import {
  FULL_ACCESS,
  isConsistent,
  permissionDetails,
  type KeyPermissions,
} from "../../domain/key-permissions.ts";
import { dateOf } from "../../domain/time.ts";
import { Problem } from "../../edge/http/problem.ts";
import { changeAccount } from "../session/change-account.ts";
import { changeLimits, readLimits } from "../money/limits.ts";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { UsageGroup } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { modeOf } from "#vocabulary/mode.ts";
import { monthOf } from "../../domain/month.ts";
import { callerOf } from "../../edge/http/request-state.ts";
import { presentKey } from "../money/charges.ts";

const MAX_LISTED = 1_000;

/** listKeys: GET /accounts/{account_id}/keys. */
export const listKeys: DashboardOperation = (deps) => async (request) => {
  const rows = await listAccountKeys(deps.sql, membershipOf(request).accountId, MAX_LISTED);
  return presentWholeList(rows.map(presentApiKey)) satisfies Schemas["ApiKeyList"];
};

const MAX_KEYS = 100;

/** createApiKey: POST /accounts/{account_id}/keys. */
export const createApiKey: DashboardOperation = (deps) => async (request, reply) => {
  const body = request.body as Schemas["CreateApiKeyRequest"];
  const { name, mode, expires_at: expires } = body;
  const permissions = permissionsOf(body.permissions, "permissions.");
  const limits = limitsOf(body);
  const { accountId } = membershipOf(request);
  const { id: createdBy, name: creatorName } = userOf(request);
  const expiresAt = expires ? dateOf(expires) : undefined;
  if (expiresAt && !(expiresAt > deps.clock.now())) throw inThePast();
  const key = await changeAccount(deps, request, async (sql, record) => {
    const keys = await countKeys(sql, accountId, MAX_KEYS);
    if (keys >= MAX_KEYS) throw new Problem("too_many_keys");
    const wanted = { accountId, mode, name, expiresAt, permissions, limits, createdBy };
    const issued = await issueKey({ ...deps, sql }, wanted, record);
    if (!issued) throw new Problem("production_access_required");
    return issued;
  });
  void reply.code(201);
  const row = {
    id: key.id,
    mode,
    name,
    prefix: key.prefix,
    lastFour: key.lastFour,
    createdAt: key.at,
    lastUsedAt: null,
    expiresAt: expiresAt ?? null,
    revokedAt: null,
    ...permissions,
    createdBy,
    creatorName,
  };
  return { key: presentApiKey(row), secret: key.secret } satisfies Schemas["CreatedApiKey"];
};

/** `path` leads to the permissions in the request. */
function permissionsOf(sent: Schemas["KeyPermissions"] | undefined, path = ""): KeyPermissions {
  if (!sent) return FULL_ACCESS;
  const { access, kinds = null, models = null } = sent;
  const permissions = { access, kinds, models };
  if (isConsistent(permissions)) return permissions;
  throw new Problem("invalid_value", {
    message: "A key that only reads creates nothing. Leave kinds and models out.",
    param: `${path}${kinds === null ? "models" : "kinds"}`,
  });
}

function limitsOf({ mode, limits = {} }: Schemas["CreateApiKeyRequest"]) {
  const { day, month } = limits;
  if (mode === "test" && (day ?? month) !== undefined) {
    const message = "A key of test mode has no limits of Tokens. Leave them out.";
    throw new Problem("invalid_value", { message, param: "limits" });
  }
  return {
    day: day === undefined ? undefined : BigInt(day),
    month: month === undefined ? undefined : BigInt(month),
  };
}

function inThePast(): Problem {
  return new Problem("out_of_range", {
    message: "expires_at must be in the future.",
    param: "expires_at",
  });
}

/** renameKey: PATCH /accounts/{account_id}/keys/{key_id}. */
export const renameKey: DashboardOperation = (deps) => async (request) => {
  const { name } = request.body as Schemas["NameRequest"];
  const { accountId } = membershipOf(request);
  const id = prefixedPathId(request, "key_id", "key");
  return changeAccount(deps, request, async (sql, record) => {
    const row = id && (await renameAccountKey(sql, accountId, id, name));
    if (!row) throw new Problem("key_not_found");
    await record({ action: "key.rename", target: id, mode: row.mode, details: { name } });
    return presentApiKey(row);
  });
};

/** revokeKey: DELETE /accounts/{account_id}/keys/{key_id}. */
export const revokeKey: DashboardOperation = (deps) => async (request) => {
  const { accountId } = membershipOf(request);
  const id = prefixedPathId(request, "key_id", "key");
  if (id === undefined) throw new Problem("key_not_found");
  return changeAccount(deps, request, async (sql, record) => {
    const revoked = await revokeKeyIfActive(sql, accountId, id, deps.clock.now());
    const row = revoked ?? (await findAccountKey(sql, accountId, id));
    if (!row) throw new Problem("key_not_found");
    const { mode, name } = row;
    if (revoked) await record({ action: "key.revoke", target: id, mode, details: { name } });
    return presentApiKey(row);
  });
};

/** setKeyPermissions: PUT /accounts/{account_id}/keys/{key_id}/permissions. */
export const setKeyPermissions: DashboardOperation = (deps) => async (request) => {
  const permissions = permissionsOf(request.body as Schemas["KeyPermissions"]);
  const { accountId } = membershipOf(request);
  const id = prefixedPathId(request, "key_id", "key");
  return changeAccount(deps, request, async (sql, record) => {
    const row = id && (await setKeyPermissionsIfActive(sql, accountId, id, permissions));
    if (!row) throw new Problem("key_not_found");
    const details = { name: row.name, ...permissionDetails(permissions) };
    await record({ action: "key.set_permissions", target: id, mode: row.mode, details });
    return presentApiKey(row);
  });
};

/** setKeyLimits: PUT /accounts/{account_id}/keys/{key_id}/limits. */
export const setKeyLimits: DashboardOperation = (deps) => async (request) => {
  const { accountId } = membershipOf(request);
  const keyId = prefixedPathId(request, "key_id", "key");
  if (!keyId || !(await isLiveKey(deps.sql, accountId, keyId))) throw new Problem("key_not_found");
  await changeLimits(deps, request, { keyId });
  return readLimits(deps, request);
};

/** listKeyUsage: GET /accounts/{account_id}/usage/keys. The most used key first. Keys that have only reserved Tokens so far are left out. */
export const listKeyUsage: DashboardOperation = (deps) => async (request) => {
  const { accountId, mode } = callerOf(request);
  const { month } = request.query as { month: string };
  const { from, to } = monthOf(month);
  const { usage } = await deps.generation.getUsage({
    accountId,
    mode: modeOf(mode),
    from: timestampFromDate(from),
    to: timestampFromDate(to),
    groupBy: UsageGroup.KEY,
  });
  const charged = usage.filter(({ generations }) => generations > 0n);
  const ids = charged.map(({ keyId }) => keyId);
  const names = await findKeyNames(deps.sql, accountId, ids);
  const rows = charged
    .map(({ keyId, tokens, generations }) => ({
      ...presentKey(keyId, names),
      tokens: Number(tokens),
      generations: Number(generations),
    }))
    .toSorted((a, b) => b.tokens - a.tokens);
  return presentWholeList(rows) satisfies Schemas["KeyUsageList"];
};
