/** What Tokens cost in money, where the operator has set a price. */
import type { TokenPrice } from "./http/types.ts";

/**
 * Tokens in the currency of the price, such as "12.00 USD". Exact until it is written: then rounded to the currency's
 * smallest unit, or to two digits where less than that would be left.
 */
export function inMoney(tokens: bigint | number, { amount, currency }: TokenPrice): string {
  const [whole = "", fraction = ""] = amount.split(".");
  const exact = `${BigInt(tokens) * BigInt(whole + fraction)}e-${fraction.length}` as `${number}`;
  const parts = new Intl.NumberFormat("en-US", {
    style: "currency",
    currency,
    maximumSignificantDigits: 2,
    roundingPriority: "morePrecision",
  }).formatToParts(exact);
  const digits = parts.filter(({ type }) => type !== "currency" && type !== "literal");
  return `${digits.map(({ value }) => value).join("")} ${currency}`;
}
