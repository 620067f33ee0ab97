/** What Tokens cost in money. */
import { expect, it } from "vitest";
import { inMoney } from "../../../clients/typescript/money.ts";

it.each([
  [1_200, "0.01", "USD", "12.00 USD"],
  [0, "0.01", "USD", "0.00 USD"],
  [3, "0.335", "USD", "1.01 USD"],
  // More than a float holds exactly.
  [9_007_199_254_740_993n, "0.01", "EUR", "90,071,992,547,409.93 EUR"],
  [500, "1.5", "JPY", "750 JPY"],
  [1, "0.0125", "BHD", "0.013 BHD"],
  [123, "0.000123", "USD", "0.015 USD"],
  [7, "2", "CHF", "14.00 CHF"],
])("%s Tokens at %s %s are %j", (tokens, amount, currency, text) => {
  expect(inMoney(tokens, { amount, currency })).toBe(text);
});
