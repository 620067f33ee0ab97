/** Balances: what they are now, and crediting them. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { ModeName } from "#runtime/mode.ts";

export type BalanceRow = { available: bigint; reserved: bigint };

/** The balance now; a test balance that was never used begins with its grant. */
export async function readBalance(
  sql: Db,
  accountId: string,
  mode: ModeName,
  at: Date,
): Promise<BalanceRow> {
  const [row] = await sql<BalanceRow[]>`
    select available, reserved from billing.read_balance(${accountId}, ${mode}, ${at})`;
  return row ?? { available: 0n, reserved: 0n };
}

export type Recharge = {
  accountId: string;
  mode: ModeName;
  transactionId: string;
  tokens: bigint;
  /** Counts once; null counts at every call. */
  reference: string | null;
  note: string | null;
  actor: string;
  at: Date;
};

export type Recharged = BalanceRow & {
  verdict: "ok" | "repeated" | "differs";
  transaction_id: string;
};

export async function rechargeBalance(sql: Db, it: Recharge): Promise<Recharged | undefined> {
  const [row] = await sql<Recharged[]>`
    select verdict, transaction_id, available, reserved
    from billing.recharge(${it.accountId}, ${it.mode}, ${it.transactionId}, ${it.tokens.toString()}::bigint,
      ${it.reference}, ${it.note}, ${it.actor}, ${it.at})`;
  return row;
}

export type Adjusted = BalanceRow & {
  verdict: "ok" | "repeated" | "differs" | "other_type" | "insufficient";
  transaction_id: string;
};

/** As a recharge, by a signed amount. */
export async function adjustBalance(sql: Db, it: Recharge): Promise<Adjusted> {
  const [row] = await sql<Adjusted[]>`
    select verdict, transaction_id, available, reserved
    from billing.adjust(${it.accountId}, ${it.mode}, ${it.transactionId}, ${it.tokens.toString()}::bigint,
      ${it.reference}, ${it.note}, ${it.actor}, ${it.at})`;
  if (!row) throw new Error("billing.adjust answers with one row");
  return row;
}
