/** Deletes objects that no row refers to: what copies left that were cut off and never came again. */
import { addMs } from "#runtime/clock.ts";
import type { Clock } from "#runtime/clock.ts";
import { randomToken } from "#runtime/id.ts";
import type { Log } from "#runtime/log.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { assetTokenOf } from "../domain/asset-key.ts";
import type { TokenRow } from "../store/asset-tokens.ts";
import { findByTokens, replaceTokenIfUnstored } from "../store/asset-tokens.ts";

export type SweepDeps = { sql: Sql; clock: Clock; store: ObjectStore; log: Log };

/** Far longer than a copy can take: younger objects may be on their way into a row. */
const SAFE_AGE_MS = 24 * 3_600_000;
const KEYS_A_STATEMENT = 500;
const MOST_KNOWN = 10_000;
const FEW = 100;
const SUSPICIOUS_SHARE = 0.1;

/**
 * One round over the whole store; answers with how many objects it deleted. Objects that no row knows at all
 * are left where they are many: then the storage is shared, or the database is an older copy, and they are no garbage.
 */
export async function sweepUnreferenced(deps: SweepDeps, signal?: AbortSignal): Promise<number> {
  const before = addMs(deps.clock.now(), -SAFE_AGE_MS);
  const unknown: string[] = [];
  let seen = 0;
  let deleted = 0;
  for await (const keys of oldKeys(deps.store, before)) {
    if (signal?.aborted) return deleted;
    seen += keys.length;
    const rows = await rowsOf(deps.sql, keys);
    for (const key of keys) {
      const row = rows.get(assetTokenOf(key) ?? "");
      if (row === undefined) {
        if (unknown.length < MOST_KNOWN) unknown.push(key);
      } else if (await isGarbage(deps.sql, key, row)) {
        // An output's thumbnail shares its fate.
        rows.set(row.token, { ...row, is_deleted: row.is_deleted || !row.is_stored });
        await deps.store.delete(key);
        deleted += 1;
      }
    }
  }
  if (unknown.length > Math.max(FEW, seen * SUSPICIOUS_SHARE)) {
    const figures = { seen, unknown: unknown.length };
    deps.log.error(figures, "too many objects that no row knows: the sweep leaves them");
    return deleted;
  }
  for (const key of unknown) await deps.store.delete(key);
  return deleted + unknown.length;
}

/** Keys of our own making that were stored before `before`, in groups. */
async function* oldKeys(store: ObjectStore, before: Date): AsyncGenerator<string[]> {
  let group: string[] = [];
  for await (const { key, storedAt } of store.list()) {
    if (storedAt >= before || assetTokenOf(key) === undefined) continue;
    group.push(key);
    if (group.length < KEYS_A_STATEMENT) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

async function rowsOf(sql: Sql, keys: readonly string[]): Promise<Map<string, TokenRow>> {
  const tokens = keys.flatMap((key) => assetTokenOf(key) ?? []);
  const rows = await findByTokens(sql, [...new Set(tokens)]);
  return new Map(rows.map((row) => [row.token, row]));
}

async function isGarbage(sql: Sql, key: string, row: TokenRow): Promise<boolean> {
  if (row.is_deleted) return true;
  if (row.is_stored) return key !== row.key && key !== row.thumbnail_key;
  return replaceTokenIfUnstored(sql, row.token, randomToken());
}
