/** A change of the balance as clients see it. */
import type { components } from "#gen/openapi/media.ts";
import { TransactionType } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { Transaction } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { publicTime } from "#runtime/public-generation.ts";

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

/** Throws for a type that no stored transaction has. */
export function transactionTypeName(type: TransactionType): TypeName {
  const name = NAME.get(type);
  if (name === undefined) throw new Error(`there is no transaction type ${type}`);
  return name;
}

/** Throws where the transaction is not whole: every stored one has its type and its time. */
export function publicTransaction(transaction: Transaction): Schemas["Transaction"] {
  const { id, generationId, note, createdAt } = transaction;
  const type = transactionTypeName(transaction.type);
  if (!createdAt) throw new Error(`transaction ${id} is not whole`);
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
