/** A worker's writes to generation.generations: each holds only while the worker's fence stands. */
import type { JsonObject } from "@bufbuild/protobuf";
import type { Db, Sql } from "#runtime/postgres.ts";
import { addMs } from "#runtime/clock.ts";
import type { GenerationRow, TerminalStatus } from "../domain/generation.ts";
import { COLUMNS } from "./generations.ts";

/** Takes due rows for one worker; `for update skip locked` lets any number of workers claim side by side. */
export async function claimDueGenerations(
  sql: Sql,
  at: Date,
  leaseMs: number,
  limit: number,
): Promise<GenerationRow[]> {
  const columns = COLUMNS.map((column) => `g.${column}`);
  return sql<GenerationRow[]>`
    with due as (
      select account_id, id from generation.generations
      where next_step_at <= ${at} and (lease_until is null or lease_until <= ${at})
      order by next_step_at
      limit ${limit}
      for update skip locked
    )
    update generation.generations g
    set fence = g.fence + 1, lease_until = ${addMs(at, leaseMs)}
    from due
    where g.account_id = due.account_id and g.id = due.id
    returning ${sql(columns)}`;
}

/** What a step may change. Absent fields keep their value. */
export type StepChange = {
  step?: GenerationRow["step"];
  status?: NonNullable<GenerationRow["status"]>;
  progress?: number;
  next_step_at?: Date | null;
  lease_until?: Date | null;
  failures?: number;
  provider?: string | null;
  credential?: string | null;
  upstream_model?: string | null;
  submit_token?: string | null;
  submitted_at?: Date;
  upstream_id?: string;
  started_at?: Date;
  deadline_at?: Date;
  completed_at?: Date;
};

/** Writes `change` where this worker still holds the row; undefined where it does not any more. */
export async function updateGenerationIfHeld(
  sql: Db,
  row: GenerationRow,
  change: StepChange,
): Promise<GenerationRow | undefined> {
  const [updated] = await sql<GenerationRow[]>`
    update generation.generations set ${sql(change)}
    where account_id = ${row.account_id} and id = ${row.id} and fence = ${row.fence.toString()}
    returning ${sql(COLUMNS)}`;
  return updated;
}

export type Decision = {
  settling: TerminalStatus;
  output?: JsonObject[];
  error_code?: string;
  error_message?: string;
};

/** Decides how the generation ends, where nothing was decided yet. Money and state follow from it. */
export async function decideGenerationIfOpen(
  sql: Sql,
  row: GenerationRow,
  decision: Decision,
): Promise<GenerationRow | undefined> {
  const { output, ...fields } = decision;
  const change = { ...fields, step: "settle", failures: 0 };
  const [decided] = await sql<GenerationRow[]>`
    update generation.generations
    set ${sql(change)}, output = ${sql.json(output ?? [])}
    where account_id = ${row.account_id} and id = ${row.id} and fence = ${row.fence.toString()}
      and settling is null
    returning ${sql(COLUMNS)}`;
  return decided;
}

/** Keeps the row with this worker; false where another one has it. */
export async function extendLeaseIfHeld(
  sql: Sql,
  row: GenerationRow,
  leaseUntil: Date,
): Promise<boolean> {
  const result = await sql`
    update generation.generations set lease_until = ${leaseUntil}
    where account_id = ${row.account_id} and id = ${row.id} and fence = ${row.fence.toString()}
      and lease_until is not null`;
  return result.count === 1;
}
