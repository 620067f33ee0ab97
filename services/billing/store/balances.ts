/** Reads, credits and corrects balances. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { ModeName } from "#vocabulary/mode.ts";

export type BalanceRow = { available: bigint; reserved: bigint };

/** The current balance. The first read of a test balance credits its grant. */
export async function readBalance(
  sql: Db,
  accountId: string,
  mode: ModeName,
  at: Date,
): Promise<BalanceRow & { hasLimits: boolean }> {
  const [row] = await sql<(BalanceRow & { hasLimits: boolean })[]>`
    select available, reserved,
      ${mode} = 'live' and exists (select from billing.limits where account_id = ${accountId}) as has_limits
    from billing.open_balance(${accountId}, ${mode}, ${at})`;
  return row ?? { available: 0n, reserved: 0n, hasLimits: false };
}

export type Recharge = {
  accountId: string;
  mode: ModeName;
  transactionId: string;
  tokens: bigint;
  /** Idempotency key: a reference counts once. Null: every call counts. */
  reference: string | null;
  note: string | null;
  actor: string;
  at: Date;
};

export type Recharged = BalanceRow & {
  outcome: "ok" | "repeated" | "differs" | "other_type";
  transactionId: string;
};

export async function rechargeBalance(sql: Db, it: Recharge): Promise<Recharged> {
  const [row] = await sql<Recharged[]>`
    select outcome, transaction_id, available, reserved
    from billing.recharge(${it.accountId}, ${it.mode}, ${it.transactionId}, ${it.tokens.toString()}::bigint,
      ${it.reference}, ${it.note}, ${it.actor}, ${it.at})`;
  if (!row) throw new Error("billing.recharge returns one row");
  return row;
}

export type Adjusted = BalanceRow & {
  outcome: "ok" | "repeated" | "differs" | "other_type" | "insufficient";
  transactionId: string;
};

/** Like a recharge, but by a signed amount. */
export async function adjustBalance(sql: Db, it: Recharge): Promise<Adjusted> {
  const [row] = await sql<Adjusted[]>`
    select outcome, transaction_id, available, reserved
    from billing.adjust(${it.accountId}, ${it.mode}, ${it.transactionId}, ${it.tokens.toString()}::bigint,
      ${it.reference}, ${it.note}, ${it.actor}, ${it.at})`;
  if (!row) throw new Error("billing.adjust returns one row");
  return row;
}
