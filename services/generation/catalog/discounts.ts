/** What discounts accounts have, as billing last said: trusted for one second, so that a submit rarely asks. */
import type { Client } from "@connectrpc/connect";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Discounts } from "../domain/discount.ts";

/** Rejects where billing does not answer. */
export type DiscountsOf = (accountId: string) => Promise<Discounts>;

const TRUST_MS = 1_000;
const KEPT_ACCOUNTS = 10_000;
const ASK_TIMEOUT_MS = 5_000;

export function accountDiscounts(
  billing: Pick<Client<typeof BillingService>, "getDiscounts">,
  clock: Clock,
): DiscountsOf {
  const known = new Map<string, { askedAtMs: number; answer: Promise<Discounts> }>();
  const ask = async (accountId: string): Promise<Discounts> => {
    const { discounts } = await billing.getDiscounts({ accountId }, { timeoutMs: ASK_TIMEOUT_MS });
    return new Map(discounts.map(({ model, basisPoints }) => [model, basisPoints]));
  };
  return (accountId) => {
    const askedAtMs = clock.now().getTime();
    const last = known.get(accountId);
    if (last && askedAtMs - last.askedAtMs < TRUST_MS) return last.answer;
    if (known.size >= KEPT_ACCOUNTS) known.clear();
    const answer = ask(accountId);
    known.set(accountId, { askedAtMs, answer });
    answer.catch(() => known.delete(accountId));
    return answer;
  };
}
