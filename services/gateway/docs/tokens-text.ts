/** Writes Tokens with what they cost in money, where the operator has set a price. */
import type { components } from "#gen/openapi/media.ts";
import { inMoney } from "../../../clients/typescript/money.ts";

export type TokenPrice = components["schemas"]["TokenPrice"];

/** "1,200 (about 12.00 USD)", or "1,200" without a price. */
export function tokensText(tokens: bigint | number, price: TokenPrice | undefined): string {
  const text = tokens.toLocaleString("en-US");
  return price ? `${text} (about ${inMoney(tokens, price)})` : text;
}
