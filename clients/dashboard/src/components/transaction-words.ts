/** The types of transactions in plain words. */
import type { Schemas } from "../api/client.ts";

export const TRANSACTION_WORDS: Record<Schemas["TransactionType"], string> = {
  recharge: "added",
  reserve: "reserved",
  capture: "charged",
  release: "restored",
  adjustment: "corrected",
};
