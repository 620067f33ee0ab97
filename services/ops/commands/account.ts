/** `account …`: creates accounts and sets their permissions and limits. */
import type { Account } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { allAccounts } from "../session/all-accounts.ts";
import { OpsCommand } from "./ops-command.ts";
import { accountOption, csvOption, parseCount } from "./options.ts";
import { rowOf, type Fields, type OutputRow } from "../session/print.ts";

const ACCOUNT: Fields<Account> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  production_granted: ({ productionGranted }) => productionGranted,
  suspended: ({ suspendedAt }) => suspendedAt !== undefined,
  creates_per_minute: ({ createsPerMinute }) => createsPerMinute,
  reads_per_minute: ({ readsPerMinute }) => readsPerMinute,
  max_unfinished: ({ maxUnfinished }) => maxUnfinished,
};

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

type Limits = { createsPerMinute?: number; readsPerMinute?: number; unfinished?: number };

export function accountCommand(): OpsCommand {
  const account = new OpsCommand("account").description(
    "create accounts and set their permissions and limits",
  );
  account
    .command("create")
    .description("create an account with test access")
    .requiredOption("--name <name>", "display name")
    .printsRow(async ({ accounts }, { name }: { name: string }) =>
      accountRow(await accounts.createAccount({ name })),
    );
  for (const { name, description, rpc } of CHANGES) {
    account
      .command(name)
      .description(description)
      .addOption(accountOption())
      .printsRow(async ({ accounts }, { account: accountId }: { account: string }) =>
        accountRow(await accounts[rpc]({ accountId })),
      );
  }
  account
    .command("list")
    .description("list all accounts")
    .addOption(csvOption())
    .printsRows(ACCOUNT, ({ accounts }) => allAccounts(accounts));
  account
    .command("limits")
    .description("set an account's limits; options left out stay unchanged")
    .addOption(accountOption())
    .option("--creates-per-minute <n>", "creates per minute and mode, 0 = no limit", parseCount)
    .option("--reads-per-minute <n>", "reads per minute and mode, 0 = no limit", parseCount)
    .option("--unfinished <n>", "unfinished generations per mode, 0 = no limit", parseCount)
    .printsRow(async ({ accounts }, options: Limits & { account: string }) => {
      const { account: accountId, unfinished: maxUnfinished, ...rates } = options;
      const { createsPerMinute, readsPerMinute } = rates;
      const request = { accountId, createsPerMinute, readsPerMinute, maxUnfinished };
      return accountRow(await accounts.setLimits(request));
    });
  return account;
}

function accountRow({ account }: { account?: Account | undefined }): OutputRow {
  return account ? rowOf(ACCOUNT, account) : {};
}
