/** How many generations a search finds, and what they cost. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { KindName } from "#vocabulary/kind.ts";
import { hasWords, pageOf, type Search } from "./lists.ts";

export type Totals = {
  count: bigint;
  /** Charged to those that succeeded. */
  tokens: bigint;
  lookedAt: number;
  /** The last row that was looked at, if there may be more. */
  last: NonNullable<Search["after"]> | undefined;
};

/**
 * The next `maxLookedAt` rows are read by the index of the end user, else of the model, else of the status, else of all, so
 * that the work is bounded whatever the history; the other filters are then applied to them. 10,000 rows take 30 ms of Postgres.
 */
export async function countGenerations(sql: Db, search: Omit<Search, "limit">): Promise<Totals> {
  const { kinds, words, keyId, status, model, endUser, maxLookedAt } = search;
  const [first = "video", second = first] = kinds;
  const byModel = endUser === undefined ? model : undefined;
  const byStatus = endUser === undefined && model === undefined ? status : undefined;
  const indexed = { ...search, model: byModel, status: byStatus };
  const pageFor = (kind: KindName) => pageOf(sql, { ...indexed, kind, limit: maxLookedAt });
  const [row] = await sql<[Omit<Totals, "last"> & { createdAt: Date | null; id: string | null }]>`
    select count(*) filter (where is_match) as count,
      coalesce(sum(tokens) filter (where is_match and status = 'success'), 0)::bigint as tokens,
      count(*)::int as looked_at, min(created_at) as created_at,
      (array_agg(id order by created_at, id))[1] as id
    from (
      select tokens, status, created_at, id,
        true
          ${status === undefined ? sql`` : sql`and status = ${status}`}
          ${model === undefined ? sql`` : sql`and model = ${model}`}
          ${keyId === undefined ? sql`` : sql`and key_id is not distinct from ${keyId}`}
          ${words.length === 0 ? sql`` : sql`and ${hasWords(sql, words)}`} as is_match
      from (
        select * from (
          (${pageFor(first)}) ${second === first ? sql`` : sql`union all (${pageFor(second)})`}
        ) listed
        order by created_at desc, id desc
        limit ${maxLookedAt}
      ) scanned
      offset 0 -- Each row is matched once.
    ) looked`;
  const { count, tokens, lookedAt, createdAt, id } = row;
  const mayGoOn = lookedAt === maxLookedAt && createdAt !== null && id !== null;
  return { count, tokens, lookedAt, last: mayGoOn ? { createdAt, id } : undefined };
}
