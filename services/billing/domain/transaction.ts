/** A change of a balance as its entry holds it, and as the RPCs show it. */
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { TransactionSchema, TransactionType } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { Transaction } from "#gen/proto/media/billing/v1/billing_pb.ts";

export type EntryType = "recharge" | "reserve" | "capture" | "release" | "adjustment";

export type EntryRow = {
  id: string;
  type: EntryType;
  generation_id: string | null;
  available_change: bigint;
  available_after: bigint;
  note: string | null;
  created_at: Date;
};

const TYPE: Record<EntryType, TransactionType> = {
  recharge: TransactionType.RECHARGE,
  reserve: TransactionType.RESERVE,
  capture: TransactionType.CAPTURE,
  release: TransactionType.RELEASE,
  adjustment: TransactionType.ADJUSTMENT,
};
const NAME = new Map(Object.entries(TYPE).map(([name, type]) => [type, name as EntryType]));

export function toTransaction(row: EntryRow): Transaction {
  return create(TransactionSchema, {
    id: row.id,
    type: transactionType(row.type),
    tokens: row.available_change,
    availableAfter: row.available_after,
    generationId: row.generation_id ?? undefined,
    note: row.note ?? undefined,
    createdAt: timestampFromDate(row.created_at),
  });
}

export function transactionType(type: EntryType): TransactionType {
  return TYPE[type];
}

/** The name that entries use; undefined where no type is named. */
export function entryType(type: TransactionType | undefined): EntryType | undefined {
  return type === undefined ? undefined : NAME.get(type);
}
