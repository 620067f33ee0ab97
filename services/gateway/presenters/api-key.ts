/** Presents an API key without its secret. */
import type { components } from "#gen/openapi/dashboard.ts";
import { presentCreator } from "./creator.ts";
import type { AccountKeyRow } from "../store/account-keys.ts";

export function presentApiKey(row: AccountKeyRow): components["schemas"]["ApiKey"] {
  const { lastUsedAt: lastUsed, expiresAt: expires, revokedAt: revoked } = row;
  return {
    id: row.id,
    object: "api_key",
    name: row.name,
    mode: row.mode,
    prefix: row.prefix,
    last_four: row.lastFour,
    ...presentCreator(row),
    created_at: row.createdAt.toISOString(),
    ...(lastUsed === null ? {} : { last_used_at: lastUsed.toISOString() }),
    ...(expires === null ? {} : { expires_at: expires.toISOString() }),
    ...(revoked === null ? {} : { revoked_at: revoked.toISOString() }),
  };
}
