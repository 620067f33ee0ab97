/** Remembers when keys were used, to be written for all of them at once: never a write per request. */
import type { Clock } from "#runtime/clock.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { noteKeyUses } from "../store/account-keys.ts";
import type { KnownKeyRow } from "../store/api-keys.ts";

/** A key that is only used again within this time is written once. */
const COARSE_MS = 60_000;

export type KeyUses = {
  note: (key: Pick<KnownKeyRow, "account_id" | "id">) => void;
  /** Writes what was noted. */
  flush: () => Promise<void>;
};

export function keyUses({ sql, clock }: { sql: Sql; clock: Clock }): KeyUses {
  let noted = new Map<string, { account_id: string; id: string; used_at_ms: number }>();
  /** When the use that was last written happened, by the key's id. */
  const written = new Map<string, number>();
  return {
    note({ account_id, id }) {
      const nowMs = clock.now().getTime();
      if (nowMs - (written.get(id) ?? 0) < COARSE_MS) return;
      noted.set(id, { account_id, id, used_at_ms: nowMs });
    },
    async flush() {
      const nowMs = clock.now().getTime();
      for (const [id, atMs] of written) if (nowMs - atMs >= COARSE_MS) written.delete(id);
      if (noted.size === 0) return;
      const uses = noted;
      noted = new Map();
      await noteKeyUses(sql, [...uses.values()]);
      for (const use of uses.values()) written.set(use.id, use.used_at_ms);
    },
  };
}
