/** Presents a transaction: one change of the balance. */
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

/** The RPC's value of a public type. */
export function transactionType(name: TypeName): TransactionType {
  return TYPE[name];
}

/** The public name of a type; throws for a type that no stored transaction has. */
export function transactionTypeName(type: TransactionType): TypeName {
  const name = NAME.get(type);
  if (name === undefined) throw new Error(`unknown transaction type ${type}`);
  return name;
}

/** Throws for a transaction without type or time: every stored one has them. */
export function presentTransaction(transaction: Transaction): Schemas["Transaction"] {
  const { id, generationId, note, createdAt } = transaction;
  const type = transactionTypeName(transaction.type);
  if (!createdAt) throw new Error(`transaction ${id} has no time`);
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
