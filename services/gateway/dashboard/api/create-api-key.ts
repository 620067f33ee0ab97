/** createApiKey: POST /accounts/{account_id}/keys. */
import { issueKey } from "../../accounts/issue-key.ts";
import { presentApiKey } from "../../presenters/api-key.ts";
import { Problem } from "../../problem.ts";
import { countKeys } from "../../store/account-keys.ts";
import { lockAccount } from "../../store/accounts.ts";
import { membershipOf } from "../request-state.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

const MAX_KEYS = 100;

export const createApiKey: DashboardOperation = (deps) => async (request, reply) => {
  const { name, mode, expires_at: expires } = request.body as Schemas["CreateApiKeyRequest"];
  const { accountId } = membershipOf(request);
  const expiresAt = expires ? new Date(expires) : undefined;
  if (expiresAt && !(expiresAt > deps.clock.now())) throw inThePast();
  const key = await deps.sql.begin(async (sql) => {
    await lockAccount(sql, accountId);
    const keys = await countKeys(sql, accountId, MAX_KEYS);
    if (keys >= MAX_KEYS) throw new Problem("too_many_keys");
    return issueKey({ ...deps, sql }, { accountId, mode, name, expiresAt });
  });
  if (!key) throw new Problem("production_access_required");
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
  };
  return { key: presentApiKey(row), secret: key.secret } satisfies Schemas["CreatedApiKey"];
};

function inThePast(): Problem {
  return new Problem("out_of_range", {
    message: "expires_at must be in the future.",
    param: "expires_at",
  });
}
