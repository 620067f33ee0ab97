/** `adjust`, `transactions`, `statement`, `reconcile`: reads, compares and corrects the ledger. */
import { InvalidArgumentError } from "commander";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import type { Transaction } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { Discrepancy } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { transactionTypeName } from "#vocabulary/transaction-type.ts";
import { OpsCommand } from "./ops-command.ts";
import { accountOption, csvOption, modeOption, parseCount, parseSignedTokens } from "./options.ts";
import { timeOrNull, type Fields } from "../session/print.ts";
import type { Session } from "../session/session.ts";

type Balance = { account: string; mode: Mode };
type Adjustment = Balance & { tokens: bigint; reason: string; reference: string };
type Changes = Balance & { generation?: string; limit: number };
type Month = { from: Date; to: Date };

const PAGE = 100;

export function adjustCommand(): OpsCommand {
  return new OpsCommand("adjust")
    .description("correct a balance: --tokens 5 adds, --tokens=-5 deducts")
    .addOption(accountOption())
    .addOption(modeOption().makeOptionMandatory())
    .requiredOption("--tokens <n>", "signed number of Tokens", parseSignedTokens)
    .requiredOption("--reason <text>", "stored with the entry")
    .option("--reference <text>", "your reference; repeated calls with it count once", "")
    .printsRow(async ({ billing }, { account: accountId, ...change }: Adjustment) => {
      const { transactionId, repeated, balance } = await billing.adjust({ accountId, ...change });
      return {
        transaction_id: transactionId,
        repeated,
        available: Number(balance?.available ?? 0n),
        reserved: Number(balance?.reserved ?? 0n),
      };
    });
}

const TRANSACTION: Fields<Transaction> = {
  created_at: ({ createdAt }) => timeOrNull(createdAt),
  id: ({ id }) => id,
  type: ({ type }) => transactionTypeName(type) ?? "unknown",
  tokens: ({ tokens }) => Number(tokens),
  available_after: ({ availableAfter }) => Number(availableAfter),
  generation_id: ({ generationId }) => generationId ?? null,
  note: ({ note }) => note ?? null,
};

export function transactionsCommand(): OpsCommand {
  return new OpsCommand("transactions")
    .description("list the changes of a balance, newest first")
    .addOption(accountOption())
    .addOption(modeOption().makeOptionMandatory())
    .option("--generation <id>", "only changes of one generation")
    .option("--limit <n>", "how many at most", parseCount, PAGE)
    .addOption(csvOption())
    .printsRows(TRANSACTION, async ({ billing }, options: Changes) => {
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
      return found;
    });
}

type Line = { line: string; count: bigint | null; tokens: bigint };

const LINE: Fields<Line> = {
  line: ({ line }) => line,
  count: ({ count }) => (count === null ? null : Number(count)),
  tokens: ({ tokens }) => Number(tokens),
};

export function statementCommand(): OpsCommand {
  return new OpsCommand("statement")
    .description("show opening balance, sums by type and closing balance of a month (UTC)")
    .addOption(accountOption())
    .addOption(modeOption().makeOptionMandatory())
    .requiredOption("--month <yyyy-mm>", "the month", parseMonth)
    .addOption(csvOption())
    .printsRows(LINE, async ({ billing }, options: Balance & { month: Month }) => {
      const { account: accountId, mode, month } = options;
      const { opening, lines, closing } = await billing.getStatement({
        accountId,
        mode,
        from: timestampFromDate(month.from),
        to: timestampFromDate(month.to),
      });
      return [
        { line: "opening balance", count: null, tokens: opening },
        ...lines.map(({ type, count, tokens }) => ({
          line: transactionTypeName(type) ?? "unknown",
          count,
          tokens,
        })),
        { line: "closing balance", count: null, tokens: closing },
      ];
    });
}

const DISCREPANCY: Fields<Discrepancy> = {
  kind: ({ kind }) => kind,
  account_id: ({ accountId }) => accountId,
  generation_id: ({ generationId }) => generationId,
  attempt: ({ attempt }) => attempt,
  released: ({ released }) => released,
};

export function reconcileCommand(): OpsCommand {
  return new OpsCommand("reconcile")
    .description("compare holds with generations both ways; exit code 1 if they do not agree")
    .option("--release", "restore the Tokens of holds whose generation does not exist")
    .printsRows(DISCREPANCY, reconcile, "Holds and generations agree.");
}

async function reconcile({ generation }: Session, { release = false }: { release?: boolean }) {
  const { discrepancies } = await generation.reconcile({ release });
  if (discrepancies.some(({ released }) => !released)) process.exitCode = 1;
  return discrepancies;
}

function parseMonth(text: string): Month {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (!year || !month) throw new InvalidArgumentError("It must be like 2026-11.");
  const first = (offset: number) => new Date(Date.UTC(Number(year), Number(month) - 1 + offset, 1));
  return { from: first(0), to: first(1) };
}
