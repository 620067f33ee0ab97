/** The names of the types of transactions in entries, responses and lists. */
import { TransactionType } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { namesOf } from "./names.ts";

export type TransactionTypeName = "recharge" | "reserve" | "capture" | "release" | "adjustment";

export const { nameOf: transactionTypeName, valueOf: transactionTypeOf } = namesOf<
  TransactionTypeName,
  TransactionType
>({
  recharge: TransactionType.RECHARGE,
  reserve: TransactionType.RESERVE,
  capture: TransactionType.CAPTURE,
  release: TransactionType.RELEASE,
  adjustment: TransactionType.ADJUSTMENT,
});
