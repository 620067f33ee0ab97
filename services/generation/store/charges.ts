/** Generations that were charged, for the books of an account. */
import type { KindName } from "#vocabulary/kind.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import type { GenerationRow } from "../domain/generation.ts";
import type { UsageSpan } from "./usage.ts";

export type ChargeRow = {
  id: string;
  kind: KindName;
  model: string;
  keyId: string | null;
  endUser: string | null;
  prompt: string;
  tokens: bigint;
  createdAt: Date;
  completedAt: Date;
};

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
