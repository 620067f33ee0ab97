/** Discounts of accounts. A discount is in force from `starts_at` until the next one of its model. */
import type { Db } from "#runtime/postgres/connect.ts";

/** `model` is empty for all models. */
export type DiscountRow = { model: string; basisPoints: number; startsAt: Date };

const COLUMNS = ["model", "basisPoints", "startsAt"] as const satisfies (keyof DiscountRow)[];

export type NewDiscount = DiscountRow & { accountId: string };

/** Inserts the discount and returns it, or returns the existing one of that account, model and time unchanged. */
export async function insertDiscount(sql: Db, it: NewDiscount): Promise<DiscountRow> {
  await sql`
    insert into billing.discounts (account_id, model, basis_points, starts_at)
    values (${it.accountId}, ${it.model}, ${it.basisPoints}, ${it.startsAt})
    on conflict do nothing`;
  const [row] = await sql<DiscountRow[]>`
    select ${sql(COLUMNS)} from billing.discounts
    where account_id = ${it.accountId} and model = ${it.model} and starts_at = ${it.startsAt}`;
  if (!row) throw new Error("an inserted discount is found");
  return row;
}

export function discountsInForce(sql: Db, accountId: string, at: Date): Promise<DiscountRow[]> {
  return sql<DiscountRow[]>`
    select distinct on (model) ${sql(COLUMNS)} from billing.discounts
    where account_id = ${accountId} and starts_at <= ${at}
    order by model, starts_at desc`;
}
