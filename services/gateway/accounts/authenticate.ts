/** Who calls: the Authorization header to an account, a mode, and what the account may not do. */
import type { Clock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import type { ModeName } from "#runtime/mode.ts";
import { hashApiKey, isApiKey } from "../domain/api-key.ts";
import { Problem } from "../problem.ts";
import type { KnownKeyRow } from "../store/api-keys.ts";
import type { FindKey } from "./key-cache.ts";
import type { KeyUses } from "./key-uses.ts";

export type Caller = {
  accountId: string;
  mode: ModeName;
  /** Why the account may not create now, where it may not. */
  bar: "account_suspended" | "production_access_required" | undefined;
  /** Requests a minute; 0 is no limit. */
  limits: { creates: number; reads: number };
  /** Generations that may be unfinished at a time; 0 is no limit. */
  maxUnfinished: number;
};

export type AuthenticateDeps = { findKey: FindKey; keyUses: KeyUses; clock: Clock; log: Log };

/** The caller that `authorization` names, or a 401 problem; 503 where no key can be confirmed now. */
export async function authenticate(
  deps: AuthenticateDeps,
  authorization: string | undefined,
): Promise<Caller> {
  const [scheme = "", key = "", ...rest] = (authorization ?? "").trim().split(/ +/);
  if (scheme.toLowerCase() !== "bearer" || key === "") throw refuse("missing_api_key");
  if (rest.length > 0 || !isApiKey(key)) throw refuse("invalid_api_key");
  const known = await findKey(deps, key);
  if (!known) throw refuse("invalid_api_key");
  if (known.revoked_at) throw refuse("revoked_api_key");
  if (known.expires_at && known.expires_at <= deps.clock.now()) throw refuse("expired_api_key");
  deps.keyUses.note(known);
  return {
    accountId: known.account_id,
    mode: known.mode,
    bar: barOf(known, known.mode),
    limits: { creates: known.creates_per_minute, reads: known.reads_per_minute },
    maxUnfinished: known.max_unfinished,
  };
}

async function findKey({ findKey: find, log }: AuthenticateDeps, key: string) {
  try {
    return await find(hashApiKey(key));
  } catch (error) {
    log.error({ err: error }, "API keys cannot be confirmed");
    throw new Problem("unavailable");
  }
}

/** Why an account may not create in `mode`, where it may not. */
export function barOf(
  account: Pick<KnownKeyRow, "suspended_at" | "production_granted">,
  mode: ModeName,
): Caller["bar"] {
  if (account.suspended_at) return "account_suspended";
  if (mode === "live" && !account.production_granted) return "production_access_required";
  return undefined;
}

function refuse(code: `${"missing" | "invalid" | "revoked" | "expired"}_api_key`): Problem {
  return new Problem(code, { headers: { "WWW-Authenticate": "Bearer" } });
}
