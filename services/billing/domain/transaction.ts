/** A change of a balance: as an entry of the ledger, and as the RPCs return it. */
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { TransactionSchema, TransactionType } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { Transaction } from "#gen/proto/media/billing/v1/billing_pb.ts";

export type EntryType = "recharge" | "reserve" | "capture" | "release" | "adjustment";

export type EntryRow = {
  id: string;
  type: EntryType;
  generationId: string | null;
  availableChange: bigint;
  availableAfter: bigint;
  note: string | null;
  createdAt: Date;
};

const TYPE: Record<EntryType, TransactionType> = {
  recharge: TransactionType.RECHARGE,
  reserve: TransactionType.RESERVE,
  capture: TransactionType.CAPTURE,
  release: TransactionType.RELEASE,
  adjustment: TransactionType.ADJUSTMENT,
};
const TYPE_NAME = new Map(Object.entries(TYPE).map(([name, type]) => [type, name as EntryType]));

export function toTransaction(row: EntryRow): Transaction {
  return create(TransactionSchema, {
    id: row.id,
    type: transactionType(row.type),
    tokens: row.availableChange,
    availableAfter: row.availableAfter,
    generationId: row.generationId ?? undefined,
    note: row.note ?? undefined,
    createdAt: timestampFromDate(row.createdAt),
  });
}

export function transactionType(type: EntryType): TransactionType {
  return TYPE[type];
}

/** The name of a type in entries; undefined when no type is given. */
export function entryType(type: TransactionType | undefined): EntryType | undefined {
  return type === undefined ? undefined : TYPE_NAME.get(type);
}
