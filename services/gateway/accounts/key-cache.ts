/** Keys as Postgres last confirmed them: each is trusted for at most one second. */
import { batchByKey } from "#runtime/batch.ts";
import type { Clock } from "#runtime/clock.ts";
import type { KnownKeyRow } from "../store/api-keys.ts";

const TRUST_MS = 1_000;
const FORGET_UNUSED_MS = 60_000;
const MAX_BATCH = 10_000;
const MAX_QUEUE = 100_000;

/** The key of this hash (hex), or undefined. Rejects where Postgres does not answer. */
export type FindKey = (hash: string) => Promise<KnownKeyRow | undefined>;

type Cached = { key: KnownKeyRow; confirmedAtMs: number; usedAtMs: number };

type Verdict = { key: KnownKeyRow | undefined } | { error: unknown };

export type KeyCacheDeps = {
  clock: Clock;
  findKeys: (hashes: readonly string[]) => Promise<KnownKeyRow[]>;
};

/** Confirms all cached keys with one query a second while there is traffic; new keys are looked up at once. */
export function keyCache({ clock, findKeys }: KeyCacheDeps): FindKey {
  const cached = new Map<string, Cached>();
  const nowMs = () => clock.now().getTime();
  const isFresh = (entry: Cached | undefined) => {
    const ageMs = entry ? nowMs() - entry.confirmedAtMs : TRUST_MS;
    return ageMs >= 0 && ageMs < TRUST_MS;
  };

  const confirm = async (asked: readonly string[]) => {
    // Before the query, so that what changes while it runs is not trusted for longer than a second.
    const confirmedAtMs = nowMs();
    const isRenewal = asked.some((hash) => cached.has(hash));
    const hashes = isRenewal ? new Set([...asked, ...used(cached, confirmedAtMs)]) : new Set(asked);
    const found = new Map((await findKeys([...hashes])).map((key) => [key.hash, key]));
    if (isRenewal) for (const hash of cached.keys()) if (!found.has(hash)) cached.delete(hash);
    for (const [hash, key] of found) {
      const usedAtMs = cached.get(hash)?.usedAtMs ?? confirmedAtMs;
      cached.set(hash, { key, confirmedAtMs, usedAtMs });
    }
  };

  // A failure is a verdict for the whole batch: one by one its calls would wait for Postgres in a line.
  const ask = batchByKey<string, Verdict>({
    maxBatch: MAX_BATCH,
    maxQueue: MAX_QUEUE,
    full: () => new Error("too many calls wait for their keys to be confirmed"),
    run: async (_all, hashes) => {
      const stale = hashes.filter((hash) => !isFresh(cached.get(hash)));
      try {
        if (stale.length > 0) await confirm(stale);
      } catch (error) {
        return hashes.map(() => ({ error }));
      }
      return hashes.map((hash) => ({ key: cached.get(hash)?.key }));
    },
  });

  return async (hash) => {
    const entry = cached.get(hash);
    if (entry) entry.usedAtMs = nowMs();
    if (entry && isFresh(entry)) return entry.key;
    const verdict = await ask("", hash);
    if ("error" in verdict) throw verdict.error;
    return verdict.key;
  };
}

function used(cached: ReadonlyMap<string, Cached>, nowMs: number): string[] {
  const isUsed = ([, entry]: [string, Cached]) => nowMs - entry.usedAtMs < FORGET_UNUSED_MS;
  return [...cached].filter(isUsed).map(([hash]) => hash);
}
