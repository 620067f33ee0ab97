/** Makes an API key: its secret for the one who asked, and its hash for Postgres. */
import type { ModeName } from "#runtime/mode.ts";
import { hashApiKey, keyPrefix } from "../domain/api-key.ts";
import type { AccountDeps } from "../deps.ts";
import { insertKeyIfAllowed } from "../store/api-keys.ts";

export type KeyWish = {
  accountId: string;
  mode: ModeName;
  name: string;
  expiresAt?: Date | undefined;
};

export type IssuedKey = KeyWish & {
  id: string;
  prefix: string;
  lastFour: string;
  at: Date;
  /** The whole key; it is nowhere else. */
  secret: string;
};

/** Undefined where there is no such account, or the key is live and production is not granted. */
export async function issueKey(deps: AccountDeps, wish: KeyWish): Promise<IssuedKey | undefined> {
  const secret = deps.newApiKey(wish.mode);
  const key = {
    ...wish,
    id: deps.newId("key"),
    prefix: keyPrefix(wish.mode),
    lastFour: secret.slice(-4),
    at: deps.clock.now(),
    expiresAt: wish.expiresAt,
  };
  const row = await insertKeyIfAllowed(deps.sql, { ...key, hash: hashApiKey(secret) });
  return row && { ...key, secret };
}
