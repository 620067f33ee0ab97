/** `audit`: recomputes balances from their entries. */
import { Command, Option } from "commander";
import { ConnectError } from "@connectrpc/connect";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { modeName } from "#vocabulary/mode.ts";
import { allAccounts } from "../session/all-accounts.ts";
import { jsonOption, modeOption } from "./options.ts";
import { UsageError } from "./usage-error.ts";
import { asTable, type OutputRow } from "../session/print.ts";
import { inSession, type Session } from "../session/session.ts";

type Options = { account?: string; mode?: Mode; all?: boolean; json?: boolean };

type Balance = { accountId: string; mode: Mode };

type Audit = { balances: number; entries: number; differences: OutputRow[] };

const COLUMNS = ["account_id", "mode", "what", "expected", "found"];

/** This many balances that cannot be audited point to a fault of the service, not to one account with too many entries. */
const MAX_UNAUDITED = 5;

export function auditCommand(): Command {
  return new Command("audit")
    .description("recompute balances from their entries; exit code 1 if there is a difference")
    .option("--account <id>", "one account, acct_…; with --mode")
    .addOption(modeOption())
    .addOption(new Option("--all", "every account, both modes").conflicts(["account", "mode"]))
    .addOption(jsonOption())
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
    return (await allAccounts(accounts)).flatMap(({ id }) =>
      [Mode.LIVE, Mode.TEST].map((one) => ({ accountId: id, mode: one })),
    );
  }
  if (accountId === undefined || mode === undefined) {
    throw new UsageError("name what to audit: --account and --mode, or --all");
  }
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
