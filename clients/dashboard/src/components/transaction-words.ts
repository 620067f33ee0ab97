/** Transactions in plain words, and without those that change nothing. */
import type { Schemas } from "../api/client.ts";

type Transaction = Pick<Schemas["Transaction"], "type" | "tokens" | "generation_id">;

export const TRANSACTION_WORDS: Record<Schemas["Transaction"]["type"], string> = {
  recharge: "added",
  reserve: "reserved",
  capture: "charged",
  release: "restored",
  adjustment: "corrected",
};

/** A generation that was charged what it had reserved is one row: its reservation, which says "charged". */
export function foldCaptures<T extends Transaction>(
  transactions: readonly T[],
): { transaction: T; word: string }[] {
  const idsOf = (wanted: (one: T) => boolean) =>
    new Set(transactions.filter(wanted).map(({ generation_id: id }) => id));
  const reserved = idsOf(({ type }) => type === "reserve");
  const captured = idsOf(isEmptyCapture);
  return transactions
    .filter((one) => !(isEmptyCapture(one) && reserved.has(one.generation_id)))
    .map((transaction) => {
      const isCharged = transaction.type === "reserve" && captured.has(transaction.generation_id);
      return { transaction, word: isCharged ? "charged" : TRANSACTION_WORDS[transaction.type] };
    });
}

/** The Tokens have left the balance already when they were reserved. */
function isEmptyCapture({ type, tokens, generation_id: id }: Transaction): boolean {
  return type === "capture" && tokens === 0 && id !== undefined;
}
