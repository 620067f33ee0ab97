/** The RPCs on entries: transactions, statements, audits. */
import { create } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { TransactionSchema, type Transaction } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { notFound } from "#runtime/rpc/errors.ts";
import { fieldsOf } from "#runtime/row-fields.ts";
import { isGenerationId, isId } from "#runtime/id.ts";
import {
  modeName,
  type ModeName,
  transactionTypeName,
  transactionTypeOf,
} from "#vocabulary/names.ts";
import type { Deps, Rpcs } from "./deps.ts";
import {
  availableBefore,
  findCursor,
  heldBefore,
  listEntries,
  statementLines,
  type EntryCursor,
  type EntryRow,
} from "../store/entries.ts";
import { auditAccount } from "../store/audits.ts";

export const entryRpcs = (deps: Deps) =>
  ({
    async listTransactions(request) {
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
    },
    async getStatement({ accountId, mode, from, to }) {
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
    },
    auditAccount: ({ accountId, mode }) => auditAccount(deps.sql, accountId, modeName(mode)),
  }) satisfies Partial<Rpcs>;

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

function toTransaction(row: EntryRow): Transaction {
  return create(TransactionSchema, {
    ...fieldsOf(row),
    type: transactionTypeOf(row.type),
    tokens: row.availableChange,
    ...(row.type === "capture" && { charged: row.spentChange }),
  });
}
