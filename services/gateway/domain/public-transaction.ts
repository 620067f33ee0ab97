/** A change of the balance as clients see it. */
import type { components } from "#gen/openapi/media.ts";
import { TransactionType } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { Transaction } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { publicTime } from "#runtime/public/generation.ts";

type Schemas = components["schemas"];
type TypeName = Schemas["TransactionType"];

const TYPE: Record<TypeName, TransactionType> = {
  recharge: TransactionType.RECHARGE,
  reserve: TransactionType.RESERVE,
  capture: TransactionType.CAPTURE,
  release: TransactionType.RELEASE,
  adjustment: TransactionType.ADJUSTMENT,
};
const NAME = new Map(Object.entries(TYPE).map(([name, type]) => [type, name as TypeName]));

export function transactionType(name: TypeName): TransactionType {
  return TYPE[name];
}

/** Throws where the transaction is not whole: every stored one has its type and its time. */
export function publicTransaction(transaction: Transaction): Schemas["Transaction"] {
  const { id, generationId, note, createdAt } = transaction;
  const type = NAME.get(transaction.type);
  if (type === undefined || !createdAt) throw new Error(`transaction ${id} is not whole`);
  return {
    id,
    object: "transaction",
    type,
    tokens: Number(transaction.tokens),
    available_after: Number(transaction.availableAfter),
    ...(generationId === undefined ? {} : { generation_id: generationId }),
    ...(note === undefined ? {} : { note }),
    created_at: publicTime(createdAt),
  };
}
