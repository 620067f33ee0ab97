/** Operations on the API keys of an account. */
import { presentPage, publicOf } from "../../edge/operations/operation.ts";
import { presentCreator } from "./members.ts";
import * as store from "../../store/store.ts";
import type { DashboardCall, DashboardOperation, Schemas } from "../session/sessions.ts";
import * as session from "../session/sessions.ts";
import {
  issueKey,
  limitsOfKeys,
  revokeKey as revoke,
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
import { HOUR_MS, addMs } from "#runtime/clock.ts";
import type { Editor } from "../../accounts/recorder.ts";

export const listKeys: DashboardOperation = async ({ deps, request }) => {
  const { accountId } = session.membershipOf(request);
  const rows = await store.listAccountKeys(deps.sql, accountId);
  return presentPage(rows.map(presentApiKey)) satisfies Schemas["ApiKeyList"];
};

const MAX_KEYS = 100;

export const createApiKey: DashboardOperation = async (call) => {
  const { deps, request } = call;
  const body = request.body as Schemas["CreateApiKeyRequest"];
  const { name, mode, expires_at: expires } = body;
  const permissions = permissionsOf(body.permissions, "permissions.");
  const limits = limitsOf(body);
  const expiresAt = expires ? dateOf(expires) : undefined;
  if (expiresAt && !(expiresAt > deps.clock.now())) {
    const message = "expires_at must be in the future.";
    throw new Problem("out_of_range", { message, param: "expires_at" });
  }
  const wanted = { mode, name, expiresAt, permissions, limits };
  return changeAccount(call, (editor) => issue(call, editor, wanted));
};

type Wanted = Omit<KeyRequest, "createdBy">;

async function issue({ deps, request }: DashboardCall, editor: Editor, wanted: Wanted) {
  const { id: createdBy } = session.userOf(request);
  const keys = await store.countKeys(editor.sql, editor.accountId, MAX_KEYS);
  if (keys >= MAX_KEYS) throw new Problem("too_many_keys");
  const key = await issueKey(deps, editor, { ...wanted, createdBy });
  if (!key) throw new Problem("production_access_required");
  return { key: presentApiKey(key), secret: key.secret } satisfies Schemas["CreatedApiKey"];
}

export const rollKey: DashboardOperation = async (call) => {
  const { deps, request } = call;
  const { grace_hours: graceHours } = request.body as Schemas["RollKeyRequest"];
  const id = session.namedInPath(request, "key_id", "key_not_found");
  const now = deps.clock.now();
  return changeAccount(call, async (editor) => {
    const { sql, accountId, record } = editor;
    const old = await store.findAccountKey(sql, accountId, id);
    if (!old || old.revokedAt) throw new Problem("key_not_found");
    const { mode, name, access, kinds, models } = old;
    const graceEnds = addMs(now, graceHours * HOUR_MS);
    const worksUntil = old.expiresAt && old.expiresAt < graceEnds ? old.expiresAt : graceEnds;
    const end = graceHours === 0 ? { revokedAt: now } : { expiresAt: worksUntil };
    if (!(await store.updateKeyIfActive(sql, accountId, old.id, end)))
      throw new Problem("key_not_found");
    const wanted = {
      mode,
      name,
      expiresAt: old.expiresAt
        ? dateOf(now.toISOString(), old.expiresAt.getTime() - old.createdAt.getTime())
        : undefined,
      permissions: { access, kinds, models },
      limits: mode === "live" ? (await limitsOfKeys(deps, accountId))(old.id) : {},
    };
    const issued = await issue(call, editor, wanted);
    const details = {
      name,
      new_key: issued.key.id,
      works_until: graceHours === 0 ? undefined : worksUntil.toISOString(),
    };
    await record({ action: "key.roll", target: old.id, mode, details });
    return issued;
  });
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
  if (mode === "test" && (day !== undefined || month !== undefined)) {
    const message = "A key of test mode has no limits of Tokens. Leave them out.";
    throw new Problem("invalid_value", { message, param: "limits" });
  }
  return { day: tokensOf(day), month: tokensOf(month) };
}

/** Changes the key in the path, with an entry of what changed besides its name. */
async function changeKey(
  call: DashboardCall,
  action: "key.rename" | "key.set_permissions",
  changes: Parameters<typeof store.updateKeyIfActive>[3],
  details: Record<string, string> = {},
) {
  const target = session.namedInPath(call.request, "key_id", "key_not_found");
  return changeAccount(call, async ({ sql, accountId, record }) => {
    const row = await store.updateKeyIfActive(sql, accountId, target, changes);
    if (!row) throw new Problem("key_not_found");
    const { mode, name } = row;
    await record({ action, target, mode, details: { name, ...details } });
    return presentApiKey(row);
  });
}

export const renameKey: DashboardOperation = (call) => {
  const { name } = call.request.body as Schemas["NameRequest"];
  return changeKey(call, "key.rename", { name });
};

export const revokeKey: DashboardOperation = async (call) => {
  const id = session.namedInPath(call.request, "key_id", "key_not_found");
  return changeAccount(call, async (editor) => {
    const row = await revoke(call.deps.clock.now(), editor, id);
    if (!row) throw new Problem("key_not_found");
    return presentApiKey(row);
  });
};

export const setKeyPermissions: DashboardOperation = async (call) => {
  const permissions = permissionsOf(call.request.body as Schemas["KeyPermissions"]);
  const details = permissionDetails(permissions);
  return changeKey(call, "key.set_permissions", permissions, details);
};

export const setKeyLimits: DashboardOperation = async (call) => {
  const { deps, request } = call;
  const { accountId } = session.membershipOf(request);
  const keyId = session.namedInPath(request, "key_id", "key_not_found");
  const key = await store.findAccountKey(deps.sql, accountId, keyId);
  if (key?.mode !== "live") throw new Problem("key_not_found");
  return changeLimits(call, { keyId });
};

function presentApiKey(row: store.AccountKeyRow): Schemas["ApiKey"] {
  return {
    ...publicOf(row),
    object: "api_key",
    permissions: publicPermissions(row),
    created_by: presentCreator(row),
  };
}
