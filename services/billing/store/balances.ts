/** Reads, credits and corrects balances. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { ModeName } from "#vocabulary/names.ts";

/** Which balance: each mode of an account has one. */
export type Owner = { accountId: string; mode: ModeName };

export type BalanceRow = { available: bigint; reserved: bigint };

/** The current balance. The first read of a test balance credits its grant. */
export async function readBalance(sql: Db, { accountId, mode }: Owner, at: Date) {
  const [row] = await sql<(BalanceRow & { hasLimits: boolean })[]>`
    select available, reserved,
      ${mode} = 'live' and exists (select from billing.limits where account_id = ${accountId}) as has_limits
    from billing.open_balance(${accountId}, ${mode}, ${at})`;
  return row ?? { available: 0n, reserved: 0n, hasLimits: false };
}

export type Credit = Owner & {
  type: "recharge" | "adjustment";
  transactionId: string;
  /** Those of an adjustment may be negative. */
  tokens: bigint;
  /** Idempotency key: a reference counts once. Null: every call counts. */
  reference: string | null;
  note: string | null;
  actor: string;
  at: Date;
};

export type Credited = BalanceRow & {
  outcome: "ok" | "repeated" | "differs" | "other_type" | "insufficient";
  transactionId: string;
};

export async function creditBalance(sql: Db, it: Credit): Promise<Credited> {
  const [row] = await sql<[Credited]>`
    select outcome, transaction_id, available, reserved
    from billing.credit(${it.accountId}, ${it.mode}, ${it.type}, ${it.transactionId},
      ${it.tokens.toString()}::bigint, ${it.reference}, ${it.note}, ${it.actor}, ${it.at})`;
  return row;
}
