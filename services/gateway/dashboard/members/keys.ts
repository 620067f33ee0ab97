/** Operations on the API keys of an account. Who may call them: `x-roles` of the document, applied by `session/access.ts`. */
import { presentWholeList, publicOf } from "../../edge/operations/operation.ts";
import { presentCreator } from "./members.ts";
import * as store from "../../store/store.ts";
import type { DashboardDeps, DashboardOperation, Schemas } from "../session/sessions.ts";
import * as session from "../session/sessions.ts";
import {
  issueKey,
  revokeKey as revoke,
  type IssueDeps,
  type KeyRequest,
} from "../../accounts/keys.ts";
import {
  FULL_ACCESS,
  isConsistent,
  permissionDetails,
  publicPermissions,
  type KeyPermissions,
} from "../../domain/key-permissions.ts";
import { dateOf } from "../../domain/time.ts";
import { Problem } from "../../edge/http/problem.ts";
import { changeAccount } from "../session/access.ts";
import { changeLimits, tokensOf } from "../money/limits.ts";
import type { FastifyRequest } from "fastify";
import { LimitPeriod } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { addMs } from "#runtime/clock.ts";
import type { RecordChange } from "../../accounts/recorder.ts";

function pathKeyId(request: FastifyRequest): string {
  return session.prefixedPathId(request, "key_id", "key", "key_not_found");
}

const MAX_LISTED = 1_000;

export const listKeys: DashboardOperation = (deps) => async (request) => {
  const rows = await store.listAccountKeys(
    deps.sql,
    session.membershipOf(request).accountId,
    MAX_LISTED,
  );
  return presentWholeList(rows.map(presentApiKey)) satisfies Schemas["ApiKeyList"];
};

const MAX_KEYS = 100;

export const createApiKey: DashboardOperation = (deps) => async (request) => {
  const body = request.body as Schemas["CreateApiKeyRequest"];
  const { name, mode, expires_at: expires } = body;
  const permissions = permissionsOf(body.permissions, "permissions.");
  const limits = limitsOf(body);
  const { accountId } = session.membershipOf(request);
  const expiresAt = expires ? dateOf(expires) : undefined;
  if (expiresAt && !(expiresAt > deps.clock.now())) {
    const message = "expires_at must be in the future.";
    throw new Problem("out_of_range", { message, param: "expires_at" });
  }
  const wanted = { accountId, mode, name, expiresAt, permissions, limits };
  return changeAccount(deps, request, (sql, record) =>
    issue({ ...deps, sql }, request, wanted, record),
  );
};

/** Within the transaction of `deps.sql`. */
async function issue(
  deps: IssueDeps,
  request: FastifyRequest,
  wanted: Omit<KeyRequest, "createdBy">,
  record: RecordChange,
): Promise<Schemas["CreatedApiKey"]> {
  const { id: createdBy } = session.userOf(request);
  const keys = await store.countKeys(deps.sql, wanted.accountId, MAX_KEYS);
  if (keys >= MAX_KEYS) throw new Problem("too_many_keys");
  const key = await issueKey(deps, { ...wanted, createdBy }, record);
  if (!key) throw new Problem("production_access_required");
  return { key: presentApiKey(key), secret: key.secret };
}

const HOUR_MS = 3_600_000;

export const rollKey: DashboardOperation = (deps) => async (request) => {
  const { grace_hours: graceHours } = request.body as Schemas["RollKeyRequest"];
  const id = pathKeyId(request);
  const now = deps.clock.now();
  return changeAccount(deps, request, async (sql, record, accountId) => {
    const old = await store.findAccountKey(sql, accountId, id);
    if (!old || old.revokedAt) throw new Problem("key_not_found");
    const { mode, name, access, kinds, models } = old;
    const graceEnds = addMs(now, graceHours * HOUR_MS);
    const worksUntil = old.expiresAt && old.expiresAt < graceEnds ? old.expiresAt : graceEnds;
    const end = graceHours === 0 ? { revokedAt: now } : { expiresAt: worksUntil };
    if (!(await store.updateKeyIfActive(sql, accountId, old.id, end)))
      throw new Problem("key_not_found");
    const wanted = {
      accountId,
      mode,
      name,
      expiresAt: old.expiresAt
        ? dateOf(now.toISOString(), old.expiresAt.getTime() - old.createdAt.getTime())
        : undefined,
      permissions: { access, kinds, models },
      limits: mode === "live" ? await limitsOfKey(deps, accountId, old.id) : {},
    };
    const issued = await issue({ ...deps, sql }, request, wanted, record);
    const details = {
      name,
      new_key: issued.key.id,
      works_until: graceHours === 0 ? undefined : worksUntil.toISOString(),
    };
    await record({ action: "key.roll", target: old.id, mode, details });
    return issued;
  });
};

async function limitsOfKey(
  { billing }: Pick<DashboardDeps, "billing">,
  accountId: string,
  id: string,
) {
  const { limits } = await billing.getTokenLimits({ accountId });
  const of = (period: LimitPeriod) =>
    limits.find((limit) => limit.keyId === id && limit.period === period)?.tokens;
  return { day: of(LimitPeriod.DAY), month: of(LimitPeriod.MONTH) };
}

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
  return { day: tokensOf(day), month: tokensOf(month) };
}

/** Changes the key in the path, with an entry of what changed besides its name. */
async function changeKey(
  deps: DashboardDeps,
  request: FastifyRequest,
  action: "key.rename" | "key.set_permissions",
  changes: Parameters<typeof store.updateKeyIfActive>[3],
  details: Record<string, string> = {},
) {
  const target = pathKeyId(request);
  return changeAccount(deps, request, async (sql, record, accountId) => {
    const row = await store.updateKeyIfActive(sql, accountId, target, changes);
    if (!row) throw new Problem("key_not_found");
    const { mode, name } = row;
    await record({ action, target, mode, details: { name, ...details } });
    return presentApiKey(row);
  });
}

export const renameKey: DashboardOperation = (deps) => (request) => {
  const { name } = request.body as Schemas["NameRequest"];
  return changeKey(deps, request, "key.rename", { name });
};

export const revokeKey: DashboardOperation = (deps) => async (request) => {
  const id = pathKeyId(request);
  return changeAccount(deps, request, async (sql, record, accountId) => {
    const row = await revoke({ ...deps, sql }, accountId, id, record);
    if (!row) throw new Problem("key_not_found");
    return presentApiKey(row);
  });
};

export const setKeyPermissions: DashboardOperation = (deps) => async (request) => {
  const permissions = permissionsOf(request.body as Schemas["KeyPermissions"]);
  const details = permissionDetails(permissions);
  return changeKey(deps, request, "key.set_permissions", permissions, details);
};

export const setKeyLimits: DashboardOperation = (deps) => async (request) => {
  const { accountId } = session.membershipOf(request);
  const keyId = pathKeyId(request);
  const key = await store.findAccountKey(deps.sql, accountId, keyId);
  if (key?.mode !== "live") throw new Problem("key_not_found");
  return changeLimits(deps, request, { keyId });
};

function presentApiKey(row: store.AccountKeyRow): Schemas["ApiKey"] {
  return {
    ...publicOf(row),
    object: "api_key",
    permissions: publicPermissions(row),
    created_by: presentCreator(row),
  };
}
