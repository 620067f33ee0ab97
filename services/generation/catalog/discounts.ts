/** Discounts of accounts, read from billing and cached for one second, so that creates rarely wait for billing. */
import type { Client } from "@connectrpc/connect";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Discounts } from "../domain/discount.ts";

/** Rejects if billing does not answer. */
export type DiscountsOf = (accountId: string) => Promise<Discounts>;

const CACHE_MS = 1_000;
const MAX_ACCOUNTS = 10_000;

export function accountDiscounts(
  billing: Pick<Client<typeof BillingService>, "getDiscounts">,
  clock: Clock,
): DiscountsOf {
  const cached = new Map<string, { readAtMs: number; discounts: Promise<Discounts> }>();
  const read = async (accountId: string): Promise<Discounts> => {
    const { discounts } = await billing.getDiscounts({ accountId });
    return new Map(discounts.map(({ model, basisPoints }) => [model, basisPoints]));
  };
  return (accountId) => {
    const readAtMs = clock.now().getTime();
    const last = cached.get(accountId);
    if (last && readAtMs - last.readAtMs < CACHE_MS) return last.discounts;
    if (cached.size >= MAX_ACCOUNTS) cached.clear();
    const discounts = read(accountId);
    cached.set(accountId, { readAtMs, discounts });
    discounts.catch(() => cached.delete(accountId));
    return discounts;
  };
}
