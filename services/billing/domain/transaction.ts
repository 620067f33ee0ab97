/** A change of a balance: as an entry of the ledger, and as the RPCs return it. */
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { TransactionSchema, type Transaction } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { transactionTypeOf, type TransactionTypeName } from "#vocabulary/names.ts";

export type EntryRow = {
  id: string;
  type: TransactionTypeName;
  generationId: string | null;
  availableChange: bigint;
  availableAfter: bigint;
  note: string | null;
  createdAt: Date;
};

export function toTransaction(row: EntryRow): Transaction {
  return create(TransactionSchema, {
    id: row.id,
    type: transactionTypeOf(row.type),
    tokens: row.availableChange,
    availableAfter: row.availableAfter,
    generationId: row.generationId ?? undefined,
    note: row.note ?? undefined,
    createdAt: timestampFromDate(row.createdAt),
  });
}
