/** Collects when API keys were used and writes all of them in one statement, never one per request. */
import type { Clock } from "#runtime/clock.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { recordKeyUses } from "../store/account-keys.ts";
import type { KnownKeyRow } from "../store/api-keys.ts";

/** A key's last use is written at most once in this time. */
const RESOLUTION_MS = 60_000;

export type KeyUses = {
  record: (key: Pick<KnownKeyRow, "accountId" | "id">) => void;
  /** Writes the uses recorded since the last flush. */
  flush: () => Promise<void>;
};

export function keyUses({ sql, clock }: { sql: Sql; clock: Clock }): KeyUses {
  let pending = new Map<string, { accountId: string; id: string; usedAtMs: number }>();
  /** The time of the last written use, by key id. */
  const written = new Map<string, number>();
  return {
    record({ accountId, id }) {
      const nowMs = clock.now().getTime();
      if (nowMs - (written.get(id) ?? 0) < RESOLUTION_MS) return;
      pending.set(id, { accountId, id, usedAtMs: nowMs });
    },
    async flush() {
      const nowMs = clock.now().getTime();
      for (const [id, atMs] of written) if (nowMs - atMs >= RESOLUTION_MS) written.delete(id);
      if (pending.size === 0) return;
      const uses = pending;
      pending = new Map();
      await recordKeyUses(sql, [...uses.values()]);
      for (const use of uses.values()) written.set(use.id, use.usedAtMs);
    },
  };
}
