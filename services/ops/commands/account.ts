/** `account …`: creates accounts and sets their permissions and limits. */
import { Command } from "commander";
import { AccountService, type Account } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { allAccounts } from "../session/all-accounts.ts";
import { accountOption, csvOption, jsonOption, parseCount } from "./options.ts";
import { run, runList, type Format } from "../session/session.ts";
import type { OutputRow } from "../session/print.ts";

const ACCOUNT_COLUMNS = [
  "id",
  "name",
  "production_granted",
  "suspended",
  "creates_per_minute",
  "reads_per_minute",
  "max_unfinished",
];

/** The commands that take nothing but an account. */
const CHANGES = [
  {
    name: "grant-production",
    description: "let an account create and use live keys",
    rpc: "grantProduction",
  },
  {
    name: "suspend",
    description: "refuse an account's creates; its reads keep working",
    rpc: "suspendAccount",
  },
  { name: "restore", description: "lift a suspension", rpc: "restoreAccount" },
] as const;

export function accountCommand(): Command {
  const account = new Command("account").description(
    "create accounts and set their permissions and limits",
  );
  account
    .command("create")
    .description("create an account with test access")
    .requiredOption("--name <name>", "display name")
    .addOption(jsonOption())
    .action((options: { name: string; json?: boolean }) =>
      run(options.json, async ({ client }) => {
        return accountRow((await client("gateway", AccountService).createAccount(options)).account);
      }),
    );
  for (const { name, description, rpc } of CHANGES) {
    account
      .command(name)
      .description(description)
      .addOption(accountOption())
      .addOption(jsonOption())
      .action((options: { account: string; json?: boolean }) =>
        run(options.json, async ({ client }) => {
          const request = { accountId: options.account };
          return accountRow((await client("gateway", AccountService)[rpc](request)).account);
        }),
      );
  }
  account
    .command("list")
    .description("list all accounts")
    .addOption(csvOption())
    .addOption(jsonOption())
    .action(async (options: Format) => {
      await runList(options, ACCOUNT_COLUMNS, async ({ client }) => {
        const found = await allAccounts(client("gateway", AccountService));
        return found.map(accountRow);
      });
    });
  account
    .command("limits")
    .description("set an account's limits; options left out stay unchanged")
    .addOption(accountOption())
    .option("--creates-per-minute <n>", "creates per minute and mode, 0 = no limit", parseCount)
    .option("--reads-per-minute <n>", "reads per minute and mode, 0 = no limit", parseCount)
    .option("--unfinished <n>", "unfinished generations per mode, 0 = no limit", parseCount)
    .addOption(jsonOption())
    .action(
      (options: {
        account: string;
        createsPerMinute?: number;
        readsPerMinute?: number;
        unfinished?: number;
        json?: boolean;
      }) =>
        run(options.json, async ({ client }) => {
          const { account: accountId, unfinished: maxUnfinished, ...rates } = options;
          const { createsPerMinute, readsPerMinute } = rates;
          const request = { accountId, createsPerMinute, readsPerMinute, maxUnfinished };
          return accountRow((await client("gateway", AccountService).setLimits(request)).account);
        }),
    );
  return account;
}

function accountRow(account: Account | undefined): OutputRow {
  return {
    id: account?.id ?? "",
    name: account?.name ?? "",
    production_granted: account?.productionGranted ?? false,
    creates_per_minute: account?.createsPerMinute ?? 0,
    reads_per_minute: account?.readsPerMinute ?? 0,
    max_unfinished: account?.maxUnfinished ?? 0,
    suspended: account?.suspendedAt !== undefined,
  };
}
