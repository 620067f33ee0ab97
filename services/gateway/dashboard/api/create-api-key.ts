/** createApiKey: POST /accounts/{account_id}/keys. */
import { issueKey } from "../../accounts/issue-key.ts";
import { dateOf } from "../../domain/time.ts";
import { presentApiKey } from "../../presenters/api-key.ts";
import { Problem } from "../../problem.ts";
import { countKeys } from "../../store/account-keys.ts";
import { changeAccount } from "../change-account.ts";
import { membershipOf, userOf } from "../request-state.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

const MAX_KEYS = 100;

export const createApiKey: DashboardOperation = (deps) => async (request, reply) => {
  const { name, mode, expires_at: expires } = request.body as Schemas["CreateApiKeyRequest"];
  const { accountId } = membershipOf(request);
  const { id: createdBy, name: creatorName } = userOf(request);
  const expiresAt = expires ? dateOf(expires) : undefined;
  if (expiresAt && !(expiresAt > deps.clock.now())) throw inThePast();
  const key = await changeAccount(deps, request, async (sql, record) => {
    const keys = await countKeys(sql, accountId, MAX_KEYS);
    if (keys >= MAX_KEYS) throw new Problem("too_many_keys");
    const issued = await issueKey(
      { ...deps, sql },
      { accountId, mode, name, expiresAt, createdBy },
    );
    if (!issued) throw new Problem("production_access_required");
    await record({ action: "key.create", target: issued.id, mode, details: { name } });
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
    createdBy,
    creatorName,
  };
  return { key: presentApiKey(row), secret: key.secret } satisfies Schemas["CreatedApiKey"];
};

function inThePast(): Problem {
  return new Problem("out_of_range", {
    message: "expires_at must be in the future.",
    param: "expires_at",
  });
}
