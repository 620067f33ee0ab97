/** Presents an API key without its secret. */
import type { components } from "#gen/openapi/dashboard.ts";
import type { AccountKeyRow } from "../store/account-keys.ts";

export function presentApiKey(row: AccountKeyRow): components["schemas"]["ApiKey"] {
  const { last_used_at: lastUsed, expires_at: expires, revoked_at: revoked } = row;
  return {
    id: row.id,
    object: "api_key",
    name: row.name,
    mode: row.mode,
    prefix: row.prefix,
    last_four: row.last_four,
    created_at: row.created_at.toISOString(),
    ...(lastUsed === null ? {} : { last_used_at: lastUsed.toISOString() }),
    ...(expires === null ? {} : { expires_at: expires.toISOString() }),
    ...(revoked === null ? {} : { revoked_at: revoked.toISOString() }),
  };
}
