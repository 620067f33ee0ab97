/** The names of the types of transactions in entries, responses and lists. */
import { TransactionType } from "#gen/proto/media/billing/v1/billing_pb.ts";

export type TransactionTypeName = "recharge" | "reserve" | "capture" | "release" | "adjustment";

const TYPE: Record<TransactionTypeName, TransactionType> = {
  recharge: TransactionType.RECHARGE,
  reserve: TransactionType.RESERVE,
  capture: TransactionType.CAPTURE,
  release: TransactionType.RELEASE,
  adjustment: TransactionType.ADJUSTMENT,
};
const NAMES = new Map(
  Object.entries(TYPE).map(([name, type]) => [type, name as TransactionTypeName]),
);

/** Undefined for none, and for TRANSACTION_TYPE_UNSPECIFIED. */
export function transactionTypeName(
  type: TransactionType | undefined,
): TransactionTypeName | undefined {
  return type === undefined ? undefined : NAMES.get(type);
}

export function transactionTypeOf(name: TransactionTypeName): TransactionType {
  return TYPE[name];
}
