/** A generation and its task as one row, how rows are found by their names, and pages of them. */
import postgres from "postgres";
import { isGenerationId } from "#runtime/id.ts";
import { batchByKey } from "#runtime/postgres/batch.ts";
import type { Db, Sql } from "#runtime/postgres/connect.ts";
import { literal } from "#runtime/postgres/values.ts";
import type { GenerationStatusName, KindName, ModeName } from "#vocabulary/names.ts";
import {
  VIEW_COLUMNS,
  rowKey,
  type GenerationRow,
  type GenerationView,
  type RowName,
} from "../domain/generation.ts";

/**
 * The columns of a row, for a statement that has a generation as `g` and its task, which may be missing, as `t`. What both
 * have is the task's while there is one; the generation gets it with its end.
 */
export function joinedColumns(sql: Db): ReturnType<Db> {
  return sql`
    g.account_id, g.id, g.kind, g.mode, g.model, g.input, g.defaulted, g.tokens, g.attempt, g.created_at, g.key_id,
    g.request_id, g.traceparent, g.status, g.started_at, g.completed_at, g.deleted_at, g.erased_at,
    t.lease_until, t.next_step_at, t.credential, t.upstream_model, t.gone_since, t.cancel_requested_at, t.deadline_at,
    coalesce(t.step, 'done') as step, coalesce(t.fence, 0) as fence, coalesce(t.failures, 0) as failures,
    case when t.failures > 0 then t.last_error end as last_error,
    coalesce(t.upstream, g.upstream) as upstream, coalesce(t.submit_token, g.submit_token) as submit_token,
    coalesce(t.submitted_at, g.submitted_at) as submitted_at, coalesce(t.upstream_id, g.upstream_id) as upstream_id,
    coalesce(t.error_code, g.error_code) as error_code, coalesce(t.error_message, g.error_message) as error_message,
    coalesce(t.output, g.output, '[]') as output,
    coalesce(case when g.completed_at is null then t.progress end, g.progress, 0) as progress,
    coalesce(t.settling, case when g.completed_at is not null then g.status end) as settling`;
}

const SHOWN = VIEW_COLUMNS.map((column) => `g.${postgres.fromCamel(column)}`).join(", ");

/** What clients see of a generation `g`. */
function shownColumns(sql: Db): ReturnType<Db> {
  return sql`${sql.unsafe(SHOWN)}, ${shownProgress(sql)}`;
}

/** The progress of a generation `g`: that of its task until it has ended. */
function shownProgress(sql: Db): ReturnType<Db> {
  return sql`case when g.completed_at is null then coalesce((
    select t.progress from generation.tasks t where t.account_id = g.account_id and t.id = g.id), 0)
    else g.progress end as progress`;
}

/** The row as it is after the call began. */
export type Find<Row> = (accountId: string, id: string) => Promise<Row | undefined>;

/** What is shown, or compared with a replay: half of the columns, of which tasks has none, so that it is not read. */
type ShownRow = GenerationView & Pick<GenerationRow, "defaulted" | "deletedAt" | "erasedAt">;

export type Finds = ReturnType<typeof batchedFinds>;

export function batchedFinds(sql: Sql) {
  const shown = (): ReturnType<Db> =>
    sql`${shownColumns(sql)}, g.defaulted, g.deleted_at, g.erased_at`;
  return {
    find: batchedFind<GenerationRow>(sql, () => joinedColumns(sql)),
    findShown: batchedFind<ShownRow>(sql, shown),
  };
}

/** Batches reads: while one statement runs, further ones wait for the next. */
function batchedFind<Row extends RowName>(sql: Sql, columns: () => ReturnType<Db>): Find<Row> {
  const find = batchByKey<RowName, Row | null>({
    // Each caller waits for its row; how many there are is limited where they come from.
    run: async (_key, names) => {
      const rows = await sql<Row[]>`
        select ${columns()}
        from unnest(${names.map((name) => name.accountId)}::text[], ${names.map((name) => name.id)}::text[])
          as named (account_id, id)
        join generation.generations g on g.account_id = named.account_id and g.id = named.id
        left join generation.tasks t on t.account_id = named.account_id and t.id = named.id`;
      const byName = new Map(rows.map((row) => [rowKey(row), row]));
      return names.map((name) => byName.get(rowKey(name)) ?? null);
    },
  });
  return async (accountId, id) => (await find("", { accountId, id })) ?? undefined;
}

/** What a client sees: the generations of an account, a mode and some kinds. */
export type Scope = { accountId: string; mode: ModeName; kinds: readonly KindName[] };

/** Undefined unless the generation is in that scope; it may be deleted. */
export async function findVisible<Row extends Pick<GenerationRow, "mode" | "kind">>(
  find: Find<Row>,
  { accountId, mode, kinds }: Scope,
  id: string,
): Promise<Row | undefined> {
  const row = isGenerationId(id) ? await find(accountId, id) : undefined;
  return row?.mode === mode && kinds.includes(row.kind) ? row : undefined;
}

/** What lists and searches have in common. */
export type Filter = Omit<Scope, "kinds"> & {
  status: GenerationStatusName | undefined;
  model: string | undefined;
  endUser?: string | undefined;
  createdAfter: Date | undefined;
  createdBefore: Date | undefined;
};

type Place = Pick<GenerationView, "createdAt" | "id"> | undefined;

/** `after`: the last row of the previous page. */
export type Page = Filter & {
  kind: KindName;
  after: Place;
  limit: number;
  isOldestFirst?: boolean;
};

export async function listGenerations(sql: Db, page: Page): Promise<GenerationView[]> {
  const order = orderOf(sql, page);
  return sql<GenerationView[]>`
    select ${shownColumns(sql)} from (${pageOf(sql, page)}) g
    order by created_at ${order}, id ${order}`;
}

function orderOf(sql: Db, { isOldestFirst }: Pick<Page, "isOldestFirst">) {
  return isOldestFirst ? sql`asc` : sql`desc`;
}

/** The rows of a page, read by the index of one filter. */
function pageOf(sql: Db, page: Page): ReturnType<Db> {
  const { status, model, endUser, createdAfter, createdBefore, after } = page;
  const order = orderOf(sql, page);
  const isBeyond = page.isOldestFirst ? sql`>` : sql`<`;
  return sql`
    select * from generation.generations
    where account_id = ${page.accountId} and mode = ${page.mode} and kind = ${page.kind} and deleted_at is null
      ${status === undefined ? sql`` : sql`and status = ${literal(sql, status)}`}
      ${model === undefined ? sql`` : sql`and model = ${model}`}
      ${endUser === undefined ? sql`` : sql`and end_user = ${endUser}`}
      ${createdAfter === undefined ? sql`` : sql`and created_at > ${createdAfter}`}
      ${createdBefore === undefined ? sql`` : sql`and created_at < ${createdBefore}`}
      ${after === undefined ? sql`` : sql`and (created_at, id) ${isBeyond} (${after.createdAt}, ${after.id})`}
    order by created_at ${order}, id ${order}
    limit ${page.limit}`;
}

export type Search = Filter & {
  kinds: readonly KindName[];
  /** Each must be in the prompt or the metadata, in upper or lower case, or be the request's id as a whole. */
  words: readonly string[];
  /** The API key that created it; null: none did; undefined: any or none. */
  keyId: string | null | undefined;
  after: Place;
  limit: number;
  /** How many rows are looked at for such words and such a key. */
  maxLookedAt: number;
};

export type Found = {
  rows: GenerationView[];
  /** The last row that was looked at, if there may be more. */
  last: Place;
};

/**
 * Neither words nor keys have an index, which creates would pay for: with one of the trigrams of prompts, an image with
 * a prompt of 190 letters wrote 47 kB of write-ahead log instead of 10. So the rows that a search looks at are limited.
 */
export async function searchGenerations(sql: Db, search: Search): Promise<Found> {
  const { kinds, words, keyId, maxLookedAt } = search;
  const [first = "video", second = first] = kinds;
  const pageFor = (kind: KindName) => pageOf(sql, { ...search, kind, limit: maxLookedAt });
  const found = await sql<(GenerationView & { isMatch: boolean; lookedAt: number })[]>`
    with scanned as materialized (
      select * from (
        (${pageFor(first)}) ${second === first ? sql`` : sql`union all (${pageFor(second)})`}
      ) listed
      order by created_at desc, id desc
      limit ${maxLookedAt}
    )
    select ${shownColumns(sql)}, is_match, (select count(*)::int from scanned) as looked_at from (
      (
        select true as is_match, * from scanned
        where true
          ${keyId === undefined ? sql`` : sql`and key_id is not distinct from ${keyId}`}
          ${words.length === 0 ? sql`` : sql`and ${hasWords(sql, words)}`}
        order by created_at desc, id desc
        limit ${search.limit}
      )
      union all
      (select false, * from scanned order by created_at, id limit 1)
    ) g
    order by is_match desc, created_at desc, id desc`;
  const last = found.at(-1);
  return {
    rows: found.filter(({ isMatch }) => isMatch),
    last: last?.lookedAt === maxLookedAt ? last : undefined,
  };
}

/**
 * Whether a row of `scanned` has all the words. Ends at the first word that is missing. `offset 0` keeps the text from
 * being read and lowered again for each word: 20 words in 2,000 prompts of 5,000 letters took seconds. No word has a
 * line break, so none is found across two parts.
 */
function hasWords(sql: Db, words: readonly string[]): ReturnType<Db> {
  return sql`(
    select not exists (
      select from unnest(${words}::text[]) word
      where position(lower(word) in content) = 0 and word is distinct from scanned.request_id
    )
    from (
      select lower(concat_ws(E'\\n', scanned.input ->> 'prompt', (
        select string_agg(concat_ws(E'\\n', name, value), E'\\n')
        from jsonb_each_text(scanned.input -> 'metadata') metadata (name, value)))) as content
      offset 0
    ) once
  )`;
}

export type StateRow = { id: string; status: GenerationStatusName; progress: number };

/** Where these generations stand; `onlyEnded` leaves out unfinished ones. */
export function listStates(
  sql: Db,
  names: readonly { accountId: string; generationId: string }[],
  { onlyEnded }: { onlyEnded: boolean },
): Promise<StateRow[]> {
  return sql<StateRow[]>`
    select g.id, g.status, ${shownProgress(sql)}
    from unnest(${names.map(({ accountId }) => accountId)}::text[],
      ${names.map(({ generationId }) => generationId)}::text[]) as name (account_id, id)
    join generation.generations g on g.account_id = name.account_id and g.id = name.id
    ${onlyEnded ? sql`where g.completed_at is not null` : sql``}`;
}
