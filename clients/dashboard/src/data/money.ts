/** What Tokens of live mode cost in money, where the operator has set a price. */
import type { Mode } from "../api/client.ts";
import { inMoney } from "../../../typescript/money.ts";
import { useBalances } from "./queries.ts";
import { useScope } from "./scope.ts";

/** Writes Tokens of the mode in money; undefined for test Tokens, and without a price. */
export function useMoney(): (tokens: number | undefined, ofMode?: Mode) => string | undefined {
  const { mode } = useScope();
  const price = useBalances().data?.live?.token_price;
  return (tokens, ofMode = mode) =>
    price && tokens !== undefined && ofMode === "live"
      ? `about ${inMoney(tokens, price)}`
      : undefined;
}
