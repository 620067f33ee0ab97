/** Discounts of accounts, each from a moment on. */
import type { Db } from "#runtime/postgres/connect.ts";

export type DiscountRow = { model: string; basis_points: number; starts_at: Date };

export type NewDiscount = {
  accountId: string;
  /** Empty for all models. */
  model: string;
  basisPoints: number;
  startsAt: Date;
  actor: string;
  at: Date;
};

/** The discount of that account, model and moment: this one, or the one that stands there already. */
export async function insertDiscount(sql: Db, it: NewDiscount): Promise<DiscountRow> {
  await sql`
    insert into billing.discounts (account_id, model, basis_points, starts_at, actor, created_at)
    values (${it.accountId}, ${it.model}, ${it.basisPoints}, ${it.startsAt}, ${it.actor}, ${it.at})
    on conflict do nothing`;
  const [row] = await sql<DiscountRow[]>`
    select model, basis_points, starts_at from billing.discounts
    where account_id = ${it.accountId} and model = ${it.model} and starts_at = ${it.startsAt}`;
  if (!row) throw new Error("a discount that was written is there");
  return row;
}

/** The latest one of each model that has begun. */
export function discountsInForce(sql: Db, accountId: string, at: Date): Promise<DiscountRow[]> {
  return sql<DiscountRow[]>`
    select distinct on (model) model, basis_points, starts_at from billing.discounts
    where account_id = ${accountId} and starts_at <= ${at}
    order by model, starts_at desc`;
}
