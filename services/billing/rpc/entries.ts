/** The RPCs on entries: transactions, statements, audits. */
import { create } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { TransactionSchema, type Transaction } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { notFound } from "#runtime/rpc/errors.ts";
import { fieldsOf } from "#runtime/row-fields.ts";
import { isGenerationId, isId } from "#runtime/id.ts";
import { modeName, transactionTypeName, transactionTypeOf } from "#vocabulary/names.ts";
import type { Deps, Rpcs } from "./deps.ts";
import { auditAccount } from "../store/audits.ts";
import type { Owner } from "../store/balances.ts";
import * as store from "../store/entries.ts";

export const entryRpcs = (deps: Deps) =>
  ({
    async listTransactions(request) {
      const { accountId, mode, generationId, type, limit, createdFrom, createdBefore } = request;
      const owner = { accountId, mode: modeName(mode) };
      const after = await cursorOf(deps, owner, request.after);
      if (generationId !== undefined && !isGenerationId(generationId)) return {};
      const rows = await store.listEntries(deps.sql, {
        ...owner,
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
      const owner = { accountId, mode: modeName(mode) };
      const [opening, openingAvailable, lines] = await Promise.all([
        store.heldBefore(deps.sql, owner, begin, now),
        store.availableBefore(deps.sql, owner, begin),
        store.statementLines(deps.sql, owner, begin, end),
      ]);
      return {
        opening,
        closing: lines.reduce((sum, { tokens }) => sum + tokens, opening),
        openingAvailable,
        closingAvailable: lines.reduce((sum, { available }) => sum + available, openingAvailable),
        lines: lines.map((line) => ({ ...line, type: transactionTypeOf(line.type) })),
      };
    },
    auditAccount: ({ accountId, mode }) =>
      auditAccount(deps.sql, { accountId, mode: modeName(mode) }),
  }) satisfies Partial<Rpcs>;

async function cursorOf({ sql }: Deps, owner: Owner, id: string | undefined) {
  if (id === undefined) return undefined;
  const cursor = isId("txn", id) ? await store.findCursor(sql, owner, id) : undefined;
  if (cursor !== undefined) return cursor;
  throw notFound("after", "after must be the id of a transaction of this account and mode");
}

function toTransaction(row: store.EntryRow): Transaction {
  return create(TransactionSchema, {
    ...fieldsOf(row),
    type: transactionTypeOf(row.type),
    tokens: row.availableChange,
    ...(row.type === "capture" && { charged: row.spentChange }),
  });
}
