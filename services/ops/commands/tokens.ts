/** `recharge` and `balance`: credits and shows an account's Tokens. */
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { modeName } from "#vocabulary/mode.ts";
import { OpsCommand } from "./ops-command.ts";
import { accountOption, modeOption, parseTokens } from "./options.ts";
import { UsageError } from "./usage-error.ts";

type Balance = { account: string; mode: Mode };
type Recharge = Balance & {
  tokens: bigint;
  /** False with `--no-reference`. */
  reference?: string | false;
  note: string;
};

export function rechargeCommand(): OpsCommand {
  return new OpsCommand("recharge")
    .description("credit Tokens to an account")
    .addOption(accountOption())
    .requiredOption("--tokens <n>", "number of Tokens", parseTokens)
    .addOption(modeOption().default(Mode.LIVE, "live"))
    .option("--reference <text>", "your reference, e.g. of the invoice; it counts once")
    .option("--no-reference", "a recharge that counts each time it is called")
    .option("--note <text>", "stored with the entry", "")
    .hook("preAction", (command) => {
      const { reference } = command.opts<Recharge>();
      // Without either option a repeated call would credit twice unnoticed.
      if (reference || reference === false) return;
      throw new UsageError("give --reference, which counts once, or --no-reference");
    })
    .printsRow(async ({ billing }, { account: accountId, ...options }: Recharge) => {
      const reference = options.reference || "";
      const response = await billing.recharge({ accountId, ...options, reference });
      return {
        account_id: accountId,
        mode: modeName(options.mode),
        transaction_id: response.transactionId,
        repeated: response.repeated,
        available: Number(response.balance?.available ?? 0n),
        reserved: Number(response.balance?.reserved ?? 0n),
      };
    });
}

export function balanceCommand(): OpsCommand {
  return new OpsCommand("balance")
    .description("show an account's balance")
    .addOption(accountOption())
    .addOption(modeOption().makeOptionMandatory())
    .printsRow(async ({ billing }, { account: accountId, mode }: Balance) => {
      const { balance } = await billing.getBalance({ accountId, mode });
      return {
        account_id: accountId,
        mode: modeName(mode),
        available: Number(balance?.available ?? 0n),
        reserved: Number(balance?.reserved ?? 0n),
      };
    });
}
