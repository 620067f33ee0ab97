/** ListTransactions: a page of the changes of a balance, newest first. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/errors.ts";
import { modeName } from "#runtime/mode.ts";
import type { ModeName } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import {
  entryType,
  isGenerationId,
  isTransactionId,
  toTransaction,
} from "../domain/transaction.ts";
import { findSequence, listEntries } from "../store/entries.ts";

export function listTransactions(
  deps: Deps,
): ServiceImpl<typeof BillingService>["listTransactions"] {
  return async ({ accountId, mode, generationId, type, limit, after }) => {
    const balance = { accountId, mode: modeName(mode) };
    const sequence = await sequenceOf(deps, balance, after);
    if (generationId !== undefined && !isGenerationId(generationId)) return {};
    const rows = await listEntries(deps.sql, {
      ...balance,
      generationId,
      type: entryType(type),
      after: sequence,
      limit: limit + 1,
    });
    return {
      transactions: rows.slice(0, limit).map(toTransaction),
      hasMore: rows.length > limit,
    };
  };
}

async function sequenceOf(
  { sql }: Deps,
  { accountId, mode }: { accountId: string; mode: ModeName },
  id: string | undefined,
): Promise<bigint | undefined> {
  if (id === undefined) return undefined;
  const sequence = isTransactionId(id) ? await findSequence(sql, accountId, mode, id) : undefined;
  if (sequence !== undefined) return sequence;
  throw refusal({
    reason: ErrorReason.NOT_FOUND,
    field: "after",
    message: "after must be the id of a transaction of this account and mode",
  });
}
