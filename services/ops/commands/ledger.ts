/** `statement` and `audit`: a month of an account, and balances recomputed from their entries. */
import { timestampFromDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import { Command, InvalidArgumentError, Option } from "commander";
import { ConnectError } from "@connectrpc/connect";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { BillingService, TransactionType } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { modeName, transactionTypeName } from "#vocabulary/names.ts";
import { optionOf, UsageError } from "./engine.ts";
import { asTable, printList, type Format, type OutputRow } from "../session/print.ts";
import { inSession, type Session } from "../session/session.ts";

type Options = { account?: string; mode: Mode; all?: boolean; json?: boolean };

type Balance = { accountId: string; mode: Mode };

type Audit = { balances: number; entries: number; differences: OutputRow[] };

const COLUMNS = ["account_id", "mode", "what", "expected", "found"];

/** The fields that say whose balance it is. */
const OWNER = BillingService.method.auditAccount.input.field;

const PAGE = 1_000;
/** This many balances that cannot be audited point to a fault of the service, not to one account with too many entries. */
const MAX_UNAUDITED = 5;

export function auditCommand(): Command {
  return new Command("audit")
    .description("recompute balances from their entries; exit code 1 if there is a difference")
    .addOption(optionOf("account", OWNER.accountId))
    .addOption(optionOf("mode", OWNER.mode))
    .addOption(new Option("--all", "every account, both modes").conflicts("account"))
    .option("--json", "print JSON")
    .action(async (options: Options) => {
      const audit = await inSession(async (session) =>
        auditAll(session, await balancesOf(session, options)),
      );
      process.stdout.write(options.json ? `${JSON.stringify(audit)}\n` : auditText(audit));
      if (audit.differences.length > 0) process.exitCode = 1;
    });
}

async function balancesOf(
  { accounts }: Session,
  { account: accountId, mode, all }: Options,
): Promise<Balance[]> {
  if (all) {
    const found: Balance[] = [];
    for (let hasMore = true; hasMore;) {
      const page = await accounts.listAccounts({ limit: PAGE, after: found.at(-1)?.accountId });
      for (const { id } of page.accounts)
        for (const one of [Mode.LIVE, Mode.TEST]) found.push({ accountId: id, mode: one });
      hasMore = page.hasMore;
    }
    return found;
  }
  if (accountId === undefined) throw new UsageError("name what to audit: --account, or --all");
  return [{ accountId, mode }];
}

/** One after the other: an audit reads all entries of an account. */
async function auditAll({ billing }: Session, balances: Balance[]): Promise<Audit> {
  const audit: Audit = { balances: balances.length, entries: 0, differences: [] };
  let unaudited = 0;
  for (const { accountId, mode } of balances) {
    const balance = { account_id: accountId, mode: modeName(mode) };
    try {
      const { entries, differences } = await billing.auditAccount({ accountId, mode });
      audit.entries += Number(entries);
      audit.differences.push(
        ...differences.map(({ what, expected, found }) => ({ ...balance, what, expected, found })),
      );
    } catch (error) {
      if (balances.length === 1 || ++unaudited === MAX_UNAUDITED) throw error;
      const { rawMessage: found } = ConnectError.from(error);
      audit.differences.push({ ...balance, what: "could not be audited", expected: null, found });
    }
  }
  return audit;
}

function auditText({ balances, entries, differences }: Audit): string {
  if (differences.length > 0) return asTable(COLUMNS, differences);
  return `adds up: ${counted(balances, "balance")}, ${counted(entries, "entry", "entries")}\n`;
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

type Month = { from: Timestamp; to: Timestamp };

export function statementCommand(): Command {
  return new Command("statement")
    .description(
      "show what was available when a month (UTC) began and ended, and its changes by type",
    )
    .addOption(optionOf("account", OWNER.accountId).makeOptionMandatory())
    .addOption(optionOf("mode", OWNER.mode))
    .requiredOption("--month <yyyy-mm>", "the month", parseMonth)
    .option("--csv", "print CSV")
    .option("--json", "print JSON")
    .action(async (options: Format & { account: string; mode: Mode; month: Month }) => {
      const { account: accountId, mode, month } = options;
      const { openingAvailable, lines, closingAvailable } = await inSession(({ billing }) =>
        billing.getStatement({ accountId, mode, ...month }),
      );
      const rows: OutputRow[] = [
        { line: "opening balance", count: null, tokens: Number(openingAvailable), charged: null },
        ...lines.map(({ type, count, tokens, available }) => ({
          line: transactionTypeName(type) ?? "unknown",
          count: Number(count),
          tokens: Number(available),
          charged: type === TransactionType.CAPTURE ? -Number(tokens) : null,
        })),
        { line: "closing balance", count: null, tokens: Number(closingAvailable), charged: null },
      ];
      printList(options, ["line", "count", "tokens", "charged"], rows);
    });
}

function parseMonth(text: string): Month {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (!year || !month) throw new InvalidArgumentError("It must be like 2026-11.");
  const first = (offset: number) => new Date(Date.UTC(Number(year), Number(month) - 1 + offset, 1));
  const from = first(0);
  if (from > systemClock.now()) throw new InvalidArgumentError("This month has not begun.");
  return { from: timestampFromDate(from), to: timestampFromDate(first(1)) };
}
