/** The operator's command line: every command is a call of the running service's RPCs. */
import { Command } from "commander";
import { ConnectError } from "@connectrpc/connect";
import { accountCommand } from "./commands/account.ts";
import { discountCommand } from "./commands/discount.ts";
import { keyCommand } from "./commands/key.ts";
import {
  adjustCommand,
  auditCommand,
  reconcileCommand,
  statementCommand,
  transactionsCommand,
} from "./commands/ledger.ts";
import { serviceTokenCommand, webhookSecretCommand } from "./commands/secrets.ts";
import { userCommand } from "./commands/user.ts";
import { balanceCommand, rechargeCommand } from "./commands/tokens.ts";

const program = new Command("ops")
  .description("Operate the media generation service: npm run --silent ops -- <command>")
  .showHelpAfterError()
  .addCommand(accountCommand())
  .addCommand(keyCommand())
  .addCommand(rechargeCommand())
  .addCommand(balanceCommand())
  .addCommand(adjustCommand())
  .addCommand(discountCommand())
  .addCommand(transactionsCommand())
  .addCommand(statementCommand())
  .addCommand(auditCommand())
  .addCommand(reconcileCommand())
  .addCommand(webhookSecretCommand())
  .addCommand(userCommand())
  .addCommand(serviceTokenCommand());

try {
  await program.parseAsync();
} catch (error) {
  const text = error instanceof ConnectError ? error.rawMessage : (error as Error).message;
  process.stderr.write(`ops: ${text}\n`);
  process.exitCode = 1;
}
