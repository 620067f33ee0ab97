/** Discounts of accounts, read from billing and cached for one second, so that creates rarely wait for billing. */
import type { Client } from "@connectrpc/connect";
import { LRUCache } from "lru-cache";
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
  const cached = new LRUCache<string, Discounts>({
    max: MAX_ACCOUNTS,
    ttl: CACHE_MS,
    ttlResolution: 0,
    perf: { now: () => clock.now().getTime() },
    fetchMethod: async (accountId) => {
      const { discounts } = await billing.getDiscounts({ accountId });
      return new Map(discounts.map(({ model, basisPoints }) => [model, basisPoints]));
    },
  });
  return (accountId) => cached.forceFetch(accountId);
}
