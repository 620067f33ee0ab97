/** Authenticates API requests: maps the Authorization header to an account, its mode and its restriction. */
import type { FastifyRequest } from "fastify";
import type { Clock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import type { ModeName } from "#vocabulary/mode.ts";
import type { KeyPermissions } from "../../domain/key-permissions.ts";
import { hashApiKey } from "../../domain/api-key.ts";
import { bearerKey, unauthorized } from "./bearer-key.ts";
import { Problem } from "./problem.ts";
import type { KnownKeyRow } from "../../store/api-keys.ts";
import type { FindKey, KeyUses } from "../../accounts/key-cache.ts";

export type Caller = {
  accountId: string;
  mode: ModeName;
  /** Why the account may not create generations; undefined when it may. */
  restriction: "account_suspended" | "production_access_required" | undefined;
  /** Requests per minute; 0 means no limit. */
  limits: { creates: number; reads: number };
  /** Unfinished generations allowed at a time; 0 means no limit. */
  maxUnfinished: number;
  /** The id of the API key; undefined for a user of the dashboard. */
  keyId?: string;
  /** What the API key may do; undefined for a user of the dashboard, whose role says it. */
  permissions?: KeyPermissions;
};

export type AuthenticateDeps = { findKey: FindKey; keyUses: KeyUses; clock: Clock; log: Log };

/** Sets the caller that the request's key identifies. Throws 401 for a bad key, 503 when keys cannot be verified. */
export async function authenticate(
  deps: AuthenticateDeps,
  request: FastifyRequest,
): Promise<Caller> {
  request.caller = await callerOfKey(deps, request);
  request.admitAgain = async () => void (await callerOfKey(deps, request));
  return request.caller;
}

async function callerOfKey(deps: AuthenticateDeps, request: FastifyRequest): Promise<Caller> {
  const key = bearerKey(request);
  const known = await findKey(deps, key);
  if (!known) throw unauthorized("invalid_api_key");
  if (known.revokedAt) throw unauthorized("revoked_api_key");
  if (known.expiresAt && known.expiresAt <= deps.clock.now()) throw unauthorized("expired_api_key");
  deps.keyUses.record(known);
  return {
    accountId: known.accountId,
    mode: known.mode,
    restriction: restrictionOf(known, known.mode),
    limits: { creates: known.createsPerMinute, reads: known.readsPerMinute },
    maxUnfinished: known.maxUnfinished,
    keyId: known.id,
    permissions: known,
  };
}

async function findKey({ findKey: find, log }: AuthenticateDeps, key: string) {
  try {
    return await find(hashApiKey(key));
  } catch (error) {
    log.error({ err: error }, "API key lookup unavailable");
    throw new Problem("unavailable");
  }
}

/** Why the account may not create generations in `mode`; undefined when it may. */
export function restrictionOf(
  account: Pick<KnownKeyRow, "suspendedAt" | "productionGranted">,
  mode: ModeName,
): Caller["restriction"] {
  if (account.suspendedAt) return "account_suspended";
  if (mode === "live" && !account.productionGranted) return "production_access_required";
  return undefined;
}
