/** Deletes objects that no row refers to: those of copies that were interrupted and never repeated. */
import { DAY_MS, addMs } from "#runtime/clock.ts";
import { randomToken } from "#runtime/id.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import type { Base } from "#runtime/service/service.ts";
import { assetTokenOf } from "../domain/file.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { findByTokens, replaceTokenIfUnstored, type TokenRow } from "../store/assets.ts";

export type SweepDeps = Pick<Base, "sql" | "clock" | "log"> & { store: ObjectStore };

/** Far longer than a copy takes: the row of a younger object may not be recorded yet. */
const MIN_AGE_MS = DAY_MS;
const KEYS_PER_STATEMENT = 500;
/** Unknown objects that one sweep deletes. */
const MAX_UNKNOWN = 10_000;
/** More unknown objects than this, and than this share of all objects, are suspicious. */
const SUSPICIOUS_COUNT = 100;
const SUSPICIOUS_SHARE = 0.1;

/**
 * Sweeps the whole store once and returns how many objects it deleted. If many objects have no row at all, they are
 * left and reported: then the storage is probably shared, or the database is an older copy.
 */
export async function sweepUnreferenced(deps: SweepDeps, signal?: AbortSignal): Promise<number> {
  const before = addMs(deps.clock.now(), -MIN_AGE_MS);
  const unknown: string[] = [];
  let seen = 0;
  let deleted = 0;
  for await (const keys of keysBefore(deps.store, before)) {
    if (signal?.aborted) return deleted;
    seen += keys.length;
    const found = await findByTokens(deps.sql, keys.map(tokenOf));
    const rows = new Map(found.map((row) => [row.token, row]));
    for (const key of keys) {
      const row = rows.get(tokenOf(key));
      if (row === undefined) {
        if (unknown.length < MAX_UNKNOWN) unknown.push(key);
      } else if (await isGarbage(deps.sql, key, row)) {
        // If the output is not stored, its other object (video or thumbnail) is garbage too.
        rows.set(row.token, { ...row, isDeleted: row.isDeleted || !row.isStored });
        await deps.store.delete(key);
        deleted += 1;
      }
    }
  }
  if (unknown.length > Math.max(SUSPICIOUS_COUNT, seen * SUSPICIOUS_SHARE)) {
    const fields = { seen, unknown: unknown.length };
    deps.log.error(fields, "too many objects without a row, none of them deleted");
    return deleted;
  }
  for (const key of unknown) await deps.store.delete(key);
  return deleted + unknown.length;
}

/** The keys made by this service that were stored before `before`, in groups. */
async function* keysBefore(store: ObjectStore, before: Date): AsyncGenerator<string[]> {
  let group: string[] = [];
  for await (const { key, storedAt } of store.list()) {
    if (storedAt >= before || assetTokenOf(key) === undefined) continue;
    group.push(key);
    if (group.length < KEYS_PER_STATEMENT) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

const tokenOf = (key: string): string => assetTokenOf(key) ?? "";

async function isGarbage(sql: Sql, key: string, row: TokenRow): Promise<boolean> {
  if (row.isDeleted) return true;
  if (row.isStored) return key !== row.key && key !== row.thumbnailKey;
  return replaceTokenIfUnstored(sql, row.token, randomToken());
}
