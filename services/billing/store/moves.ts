/** Reserve, capture and release of holds, in statements that concurrent calls share, and reads of open holds. */
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import type { Clock } from "#runtime/clock.ts";
import { batchByKey } from "#runtime/postgres/batch.ts";
import type { Db, Sql } from "#runtime/postgres/connect.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import type { UsedLimit } from "../domain/token-limit.ts";
import type { Owner } from "./balances.ts";

export type HoldName = Owner & { generationId: string; attempt: number };

export type Move = HoldName & {
  kind: "reserve" | "capture" | "release";
  /** The price of a reserve, or how much of its hold a capture charges: the rest is restored. Null: all of it. */
  tokens: bigint | null;
  entryId: string;
  /** The limit of open holds of the balance, this one included; 0 means none. Used by reserve only. */
  maxOpenHolds: number;
  /** The API key whose limits apply; null for none. Used by reserve only. */
  keyId: string | null;
  /** The end user whose limits apply, as `limit_usage` names them; null for none. Used by reserve only. */
  endUser: string | null;
  /** The start of the Postgres server that the caller writes to next, in microseconds; 0 for none. */
  rowServer: bigint;
};

export type MoveOutcome = {
  outcome: "ok" | "too_many" | "insufficient" | "over_limit" | "differs" | "resolved" | "missing";
  /** The Tokens of the hold, open or released, or what was charged of it. */
  tokens: bigint;
  available: bigint;
  reserved: bigint;
  /** The limit that does not allow a reserve; null for any other outcome. */
  refusedBy: UsedLimit | null;
  /** When the hold was made; null for what is no reserve, or refused. */
  reservedAt: Date | null;
};

export type MoveTokens = (move: Move) => Promise<MoveOutcome>;

const MAX_BATCH = 100;
const MAX_QUEUE = 10_000;

/** One commit for many moves: in batches of a hundred a move costs a seventh of the processor that it costs alone. */
export function batchedMoves(sql: Sql, clock: Clock): MoveTokens {
  const enqueue = batchByKey<Move, MoveOutcome>({
    maxBatch: MAX_BATCH,
    queue: {
      max: MAX_QUEUE,
      full: () =>
        refusal({
          reason: ErrorReason.UNAVAILABLE,
          message: "too many calls are waiting; try again",
        }),
    },
    run: (_key, moves) => moveTokens(sql, moves, clock.now()),
  });
  return (move) => enqueue("", move);
}

/** One statement, so all moves are committed or none. Returns one outcome for each move, in order. */
export async function moveTokens(sql: Db, moves: readonly Move[], at: Date) {
  const column = <T>(of: (move: Move) => T): T[] => moves.map(of);
  const [server = 0n, ...others] = new Set(column(({ rowServer }) => rowServer));
  return sql<MoveOutcome[]>`
    select outcome, tokens, available, reserved, refused_by, reserved_at
    from billing.move_holds(${column(({ accountId }) => accountId)}::text[], ${column(({ mode }) => mode)}::text[],
      ${column(({ kind }) => kind)}::text[], ${column(({ generationId }) => generationId)}::text[],
      ${column(({ attempt }) => attempt)}::integer[], ${column(({ tokens }) => tokens?.toString() ?? null)}::bigint[],
      ${column(({ entryId }) => entryId)}::text[], ${column(({ maxOpenHolds }) => maxOpenHolds)}::integer[],
      ${column(({ keyId }) => keyId)}::text[], ${column(({ endUser }) => endUser)}::text[], ${at},
      ${others.length === 0 ? server : 0n})
    order by ordinal`;
}

const NAME = ["accountId", "mode", "generationId", "attempt"] as const satisfies (keyof HoldName)[];

/** The oldest first, starting after `after`, which may be resolved by now. */
export function listOpenHolds(
  sql: Db,
  createdBefore: Date,
  after: HoldName | undefined,
  limit: number,
): Promise<HoldName[]> {
  return sql<HoldName[]>`
    select ${sql(NAME)} from billing.holds
    where state = 'held' and created_at < ${createdBefore}
      ${
        after === undefined
          ? sql``
          : sql`and (created_at, ${sql(NAME)}) > (
              select created_at, ${sql(NAME)} from billing.holds
              where account_id = ${after.accountId} and mode = ${after.mode}
                and generation_id = ${after.generationId} and attempt = ${after.attempt})`
      }
    order by created_at, ${sql(NAME)}
    limit ${limit}`;
}

export async function checkHolds(sql: Db, holds: readonly HoldName[]): Promise<boolean[]> {
  const rows = await sql<{ isOpen: boolean }[]>`
    select coalesce(h.state = 'held', false) as is_open
    from unnest(${holds.map((hold) => hold.accountId)}::text[], ${holds.map((hold) => hold.mode)}::text[],
        ${holds.map((hold) => hold.generationId)}::text[], ${holds.map((hold) => hold.attempt)}::integer[])
      with ordinality as asked (${sql(NAME)}, ordinal)
    left join billing.holds h using (${sql(NAME)})
    order by ordinal`;
  return rows.map((row) => row.isOpen);
}
