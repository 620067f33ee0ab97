/** Issues an API key: returns the secret to the requester and stores only its hash. */
import type { ModeName } from "#vocabulary/mode.ts";
import type { Clock } from "#runtime/clock.ts";
import type { NewId } from "#runtime/id.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import { hashApiKey, keyPrefix } from "../domain/api-key.ts";
import { insertKeyIfAllowed } from "../store/api-keys.ts";

export type KeyRequest = {
  accountId: string;
  mode: ModeName;
  name: string;
  expiresAt?: Date | undefined;
  /** A user's id, or "operator". */
  createdBy: string;
};

export type IssuedKey = KeyRequest & {
  id: string;
  prefix: string;
  lastFour: string;
  at: Date;
  /** The whole key. It is not stored and cannot be shown again. */
  secret: string;
};

/** Undefined when the account does not exist, or the key is live and production is not granted. */
export async function issueKey(
  deps: { sql: Db; clock: Clock; newId: NewId; newApiKey: (mode: ModeName) => string },
  request: KeyRequest,
): Promise<IssuedKey | undefined> {
  const secret = deps.newApiKey(request.mode);
  const key = {
    ...request,
    id: deps.newId("key"),
    prefix: keyPrefix(request.mode),
    lastFour: secret.slice(-4),
    at: deps.clock.now(),
    expiresAt: request.expiresAt,
  };
  const row = await insertKeyIfAllowed(deps.sql, { ...key, hash: hashApiKey(secret) });
  return row && { ...key, secret };
}
