/** The RPCs on entries: transactions, statements, audits. */
import type { ServiceImpl } from "@connectrpc/connect";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { notFound } from "#runtime/rpc/errors.ts";
import { isGenerationId, isId } from "#runtime/id.ts";
import {
  modeName,
  type ModeName,
  transactionTypeName,
  transactionTypeOf,
} from "#vocabulary/names.ts";
import type { Deps } from "./deps.ts";
import { toTransaction } from "../domain/transaction.ts";
import {
  availableBefore,
  findCursor,
  heldBefore,
  listEntries,
  statementLines,
  type EntryCursor,
} from "../store/entries.ts";
import { auditAccount as audit } from "../store/audits.ts";

export function listTransactions(
  deps: Deps,
): ServiceImpl<typeof BillingService>["listTransactions"] {
  return async (request) => {
    const { accountId, mode, generationId, type, limit, createdFrom, createdBefore } = request;
    const balance = { accountId, mode: modeName(mode) };
    const after = await cursorOf(deps, balance, request.after);
    if (generationId !== undefined && !isGenerationId(generationId)) return {};
    const rows = await listEntries(deps.sql, {
      ...balance,
      generationId,
      type: transactionTypeName(type),
      after,
      createdFrom: createdFrom && timestampDate(createdFrom),
      createdBefore: createdBefore && timestampDate(createdBefore),
      limit: limit + 1,
    });
    return {
      transactions: rows.slice(0, limit).map(toTransaction),
      hasMore: rows.length > limit,
    };
  };
}

async function cursorOf(
  { sql }: Deps,
  { accountId, mode }: { accountId: string; mode: ModeName },
  id: string | undefined,
): Promise<EntryCursor | undefined> {
  if (id === undefined) return undefined;
  const cursor = isId("txn", id) ? await findCursor(sql, accountId, mode, id) : undefined;
  if (cursor !== undefined) return cursor;
  throw notFound("after", "after must be the id of a transaction of this account and mode");
}

export function getStatement(deps: Deps): ServiceImpl<typeof BillingService>["getStatement"] {
  return async ({ accountId, mode, from, to }) => {
    const now = deps.clock.now();
    const [begin, end] = [from ? timestampDate(from) : now, to ? timestampDate(to) : now];
    const name = modeName(mode);
    const [opening, openingAvailable, lines] = await Promise.all([
      heldBefore(deps.sql, accountId, name, { at: begin, now }),
      availableBefore(deps.sql, accountId, name, begin),
      statementLines(deps.sql, accountId, name, begin, end),
    ]);
    return {
      opening,
      closing: lines.reduce((sum, { tokens }) => sum + tokens, opening),
      openingAvailable,
      closingAvailable: lines.reduce((sum, { available }) => sum + available, openingAvailable),
      lines: lines.map((line) => ({ ...line, type: transactionTypeOf(line.type) })),
    };
  };
}

export function auditAccount(deps: Deps): ServiceImpl<typeof BillingService>["auditAccount"] {
  return ({ accountId, mode }) => audit(deps.sql, accountId, modeName(mode));
}
