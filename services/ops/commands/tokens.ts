/** `recharge` and `balance`: credits and shows an account's Tokens. */
import { Command } from "commander";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { modeName } from "#vocabulary/mode.ts";
import { accountOption, jsonOption, modeOption, parseTokens } from "./options.ts";
import { UsageError } from "./usage-error.ts";
import { run } from "../session/session.ts";

type Recharge = {
  account: string;
  tokens: bigint;
  mode: Mode;
  /** False with `--no-reference`. */
  reference: string | false | undefined;
  note: string;
  json?: boolean;
};

export function rechargeCommand(): Command {
  return new Command("recharge")
    .description("credit Tokens to an account")
    .addOption(accountOption())
    .requiredOption("--tokens <n>", "number of Tokens", parseTokens)
    .addOption(modeOption().default(Mode.LIVE, "live"))
    .option("--reference <text>", "your reference, e.g. of the invoice; it counts once")
    .option("--no-reference", "a recharge that counts each time it is called")
    .option("--note <text>", "stored with the entry", "")
    .addOption(jsonOption())
    .action(async (options: Recharge) => {
      const { account: accountId, json, ...rest } = options;
      const request = { accountId, ...rest, reference: requiredReference(options.reference) };
      await run(json, async ({ client }) => {
        const response = await client("billing", BillingService).recharge(request);
        return {
          account_id: accountId,
          mode: modeName(options.mode),
          transaction_id: response.transactionId,
          repeated: response.repeated,
          available: Number(response.balance?.available ?? 0n),
          reserved: Number(response.balance?.reserved ?? 0n),
        };
      });
    });
}

/** Empty with `--no-reference`. Without either option a repeated call would credit twice unnoticed. */
function requiredReference(reference: Recharge["reference"]): string {
  if (reference === false) return "";
  if (reference) return reference;
  throw new UsageError("give --reference, which counts once, or --no-reference");
}

export function balanceCommand(): Command {
  return new Command("balance")
    .description("show an account's balance")
    .addOption(accountOption())
    .addOption(modeOption().makeOptionMandatory())
    .addOption(jsonOption())
    .action((options: { account: string; mode: Mode; json?: boolean }) =>
      run(options.json, async ({ client }) => {
        const { account: accountId, mode } = options;
        const { balance } = await client("billing", BillingService).getBalance({ accountId, mode });
        return {
          account_id: accountId,
          mode: modeName(mode),
          available: Number(balance?.available ?? 0n),
          reserved: Number(balance?.reserved ?? 0n),
        };
      }),
    );
}
