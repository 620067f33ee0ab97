/** What an account's generations used and were charged, and how long each model's videos take. */
import type { Message } from "@bufbuild/protobuf";
import type { Usage } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Db, Sql } from "#runtime/postgres/connect.ts";
import type { ModeName } from "#vocabulary/names.ts";
import type { GenerationRow } from "../domain/generation.ts";

/** The span from `from` (inclusive) to `to` (exclusive). */
export type UsageSpan = { accountId: string; mode: ModeName; from: Date; to: Date };

/**
 * What was charged, from an index alone: by day and model, or by one group, and then with what is held, by the account's
 * tasks. Days are UTC. Of date, model, key and end user those are not empty that make the group.
 */
export function usageBy(
  sql: Db,
  group: "day" | "model" | "key" | "end_user" | undefined,
  { accountId, mode, from, to }: UsageSpan,
): Promise<Omit<Usage, keyof Message>[]> {
  const { date, model, keyId, endUser } = {
    date: (group ?? "day") === "day" ? sql`to_char(at at time zone 'UTC', 'YYYY-MM-DD')` : sql`''`,
    model: (group ?? "model") === "model" ? sql`model` : sql`''`,
    keyId: group === "key" ? sql`coalesce(key_id, '')` : sql`''`,
    endUser: group === "end_user" ? sql`coalesce(end_user, '')` : sql`''`,
  };
  const held = group
    ? sql`union all
      select g.created_at, g.model, g.key_id, g.end_user, false, 0, g.tokens
      from generation.tasks t join generation.generations g on g.account_id = t.account_id and g.id = t.id
      where t.account_id = ${accountId} and t.mode = ${mode} and g.completed_at is null
        and t.created_at >= ${from} and t.created_at < ${to}`
    : sql``;
  return sql<Usage[]>`
    select ${date} as date, ${model} as model, ${keyId} as key_id, ${endUser} as end_user,
      sum(charged)::bigint as tokens, count(*) filter (where is_charged) as generations, sum(held)::bigint as reserved
    from (
      select completed_at as at, model, key_id, end_user, true as is_charged, tokens as charged, 0 as held
      from generation.generations
      where account_id = ${accountId} and mode = ${mode} and status = 'success'
        and completed_at >= ${from} and completed_at < ${to}
      ${held}
    ) used
    group by 1, 2, 3, 4
    order by 1, 2, 3, 4`;
}

export type ChargeRow = Pick<
  GenerationRow,
  "id" | "kind" | "model" | "keyId" | "tokens" | "createdAt"
> & { completedAt: Date; endUser: string | null; prompt: string };

const PROMPT_CHARACTERS = 200;

/** Those completed in the span, the last first; `after` is the last row of the previous page. Read by an index. */
export async function listCharges(
  sql: Db,
  { accountId, mode, from, to }: UsageSpan,
  after: Pick<GenerationRow, "completedAt" | "id"> | undefined,
  limit: number,
): Promise<ChargeRow[]> {
  return sql<ChargeRow[]>`
    select id, kind, model, key_id, end_user, left(coalesce(input ->> 'prompt', ''), ${PROMPT_CHARACTERS}) as prompt,
      tokens, created_at, completed_at
    from generation.generations
    where account_id = ${accountId} and mode = ${mode} and status = 'success'
      and completed_at >= ${from} and completed_at < ${to}
      ${after ? sql`and (completed_at, id) < (${after.completedAt}, ${after.id})` : sql``}
    order by completed_at desc, id desc
    limit ${limit}`;
}

/** A moving average of how long the videos of a model take. */
export type TypicalTimeRow = { mode: ModeName; model: string; typicalMs: number };

/** The weight of a new duration in the average. */
const WEIGHT = 0.1;

export function listTypicalTimes(sql: Sql): Promise<TypicalTimeRow[]> {
  return sql<TypicalTimeRow[]>`select mode, model, typical_ms from generation.durations`;
}

export async function recordTypicalTime(sql: Sql, row: TypicalTimeRow): Promise<void> {
  await sql`
    insert into generation.durations as d (mode, model, typical_ms)
    values (${row.mode}, ${row.model}, ${row.typicalMs})
    on conflict (mode, model) do update
    set typical_ms = d.typical_ms + (excluded.typical_ms - d.typical_ms) * ${WEIGHT}`;
}
