/** `adjust`, `transactions`, `statement`, `reconcile`: reads, compares and corrects the ledger. */
import { Command, InvalidArgumentError } from "commander";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { BillingService, type Transaction } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { transactionTypeName } from "#vocabulary/transaction-type.ts";
import {
  accountOption,
  csvOption,
  jsonOption,
  modeOption,
  parseCount,
  parseSignedTokens,
} from "./options.ts";
import { timeOrNull, type OutputRow } from "../session/print.ts";
import { run, runList, type Format, type Session } from "../session/session.ts";

type BalanceOptions = Format & { account: string; mode: Mode };

const PAGE = 100;

export function adjustCommand(): Command {
  return new Command("adjust")
    .description("correct a balance: --tokens 5 adds, --tokens=-5 deducts")
    .addOption(accountOption())
    .addOption(modeOption().makeOptionMandatory())
    .requiredOption("--tokens <n>", "signed number of Tokens", parseSignedTokens)
    .requiredOption("--reason <text>", "stored with the entry")
    .option("--reference <text>", "your reference; repeated calls with it count once", "")
    .addOption(jsonOption())
    .action((options: BalanceOptions & { tokens: bigint; reason: string; reference: string }) =>
      run(options.json, async ({ client }) => {
        const { account: accountId, mode, tokens, reason, reference } = options;
        const request = { accountId, mode, tokens, reason, reference };
        const response = await client("billing", BillingService).adjust(request);
        return {
          transaction_id: response.transactionId,
          repeated: response.repeated,
          available: Number(response.balance?.available ?? 0n),
          reserved: Number(response.balance?.reserved ?? 0n),
        };
      }),
    );
}

const TRANSACTION_COLUMNS = [
  "created_at",
  "id",
  "type",
  "tokens",
  "available_after",
  "generation_id",
  "note",
];

export function transactionsCommand(): Command {
  return new Command("transactions")
    .description("list the changes of a balance, newest first")
    .addOption(accountOption())
    .addOption(modeOption().makeOptionMandatory())
    .option("--generation <id>", "only changes of one generation")
    .option("--limit <n>", "how many at most", parseCount, PAGE)
    .addOption(csvOption())
    .addOption(jsonOption())
    .action(async (options: BalanceOptions & { generation?: string; limit: number }) => {
      await runList(options, TRANSACTION_COLUMNS, async ({ client }) => {
        const billing = client("billing", BillingService);
        const { account: accountId, mode, generation: generationId } = options;
        const found: Transaction[] = [];
        let hasMore = true;
        while (hasMore && found.length < options.limit) {
          const limit = Math.min(PAGE, options.limit - found.length);
          const request = { accountId, mode, generationId, limit, after: found.at(-1)?.id };
          const page = await billing.listTransactions(request);
          found.push(...page.transactions);
          hasMore = page.hasMore;
        }
        return found.map(transactionRow);
      });
    });
}

function transactionRow(transaction: Transaction): OutputRow {
  return {
    created_at: timeOrNull(transaction.createdAt),
    id: transaction.id,
    type: transactionTypeName(transaction.type) ?? "unknown",
    tokens: Number(transaction.tokens),
    available_after: Number(transaction.availableAfter),
    generation_id: transaction.generationId ?? null,
    note: transaction.note ?? null,
  };
}

export function statementCommand(): Command {
  return new Command("statement")
    .description("show opening balance, sums by type and closing balance of a month (UTC)")
    .addOption(accountOption())
    .addOption(modeOption().makeOptionMandatory())
    .requiredOption("--month <yyyy-mm>", "the month", parseMonth)
    .addOption(csvOption())
    .addOption(jsonOption())
    .action(async (options: BalanceOptions & { month: { from: Date; to: Date } }) => {
      await runList(options, ["line", "count", "tokens"], async ({ client }) => {
        const { account: accountId, mode, month } = options;
        const statement = await client("billing", BillingService).getStatement({
          accountId,
          mode,
          from: timestampFromDate(month.from),
          to: timestampFromDate(month.to),
        });
        return [
          { line: "opening balance", count: null, tokens: Number(statement.opening) },
          ...statement.lines.map(({ type, count, tokens }) => ({
            line: transactionTypeName(type) ?? "unknown",
            count: Number(count),
            tokens: Number(tokens),
          })),
          { line: "closing balance", count: null, tokens: Number(statement.closing) },
        ];
      });
    });
}

export function reconcileCommand(): Command {
  return new Command("reconcile")
    .description("compare holds with generations both ways; exit code 1 if they do not agree")
    .option("--release", "restore the Tokens of holds whose generation does not exist")
    .addOption(jsonOption())
    .action(async ({ release = false, ...options }: Format & { release?: boolean }) => {
      const columns = ["kind", "account_id", "generation_id", "attempt", "released"];
      const compare = async ({ client }: Session) => {
        const service = client("generation", GenerationService);
        const { discrepancies } = await service.reconcile({ release });
        return discrepancies.map(({ kind, accountId, generationId, attempt, released }) => ({
          kind,
          account_id: accountId,
          generation_id: generationId,
          attempt,
          released,
        }));
      };
      const found = await runList(options, columns, compare, "Holds and generations agree.");
      if (found.some(({ released }) => !released)) process.exitCode = 1;
    });
}

function parseMonth(text: string): { from: Date; to: Date } {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (!year || !month) throw new InvalidArgumentError("It must be like 2026-11.");
  const first = (offset: number) => new Date(Date.UTC(Number(year), Number(month) - 1 + offset, 1));
  return { from: first(0), to: first(1) };
}
