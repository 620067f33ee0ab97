/** The commands of the operators' command line. */
import { Command } from "commander";
import { accountCommand } from "./commands/account.ts";
import { assetsCommand } from "./commands/assets.ts";
import { auditCommand } from "./commands/audit.ts";
import { migrateCommand, provisionCommand } from "./commands/database.ts";
import { discountCommand } from "./commands/discount.ts";
import { generationCommand, generationsCommand } from "./commands/generations.ts";
import { keyCommand } from "./commands/key.ts";
import { keysCommand } from "./commands/keys.ts";
import {
  adjustCommand,
  reconcileCommand,
  statementCommand,
  transactionsCommand,
} from "./commands/ledger.ts";
import { upstreamsCommand } from "./commands/upstreams.ts";
import { requestsCommand } from "./commands/requests.ts";
import { retentionCommand } from "./commands/retention.ts";
import { serviceTokenCommand } from "./commands/service-token.ts";
import { statusCommand } from "./commands/status.ts";
import { userCommand } from "./commands/user.ts";
import { balanceCommand, rechargeCommand } from "./commands/tokens.ts";
import { webhookCommand } from "./commands/webhook.ts";

/** The whole command line; the caller parses arguments with it. */
export const opsProgram = (): Command =>
  new Command("ops")
    .description("Operate the media generation service: npm run --silent ops -- <command>")
    .enablePositionalOptions()
    .addCommand(accountCommand())
    .addCommand(requestsCommand())
    .addCommand(keyCommand())
    .addCommand(rechargeCommand())
    .addCommand(balanceCommand())
    .addCommand(adjustCommand())
    .addCommand(discountCommand())
    .addCommand(transactionsCommand())
    .addCommand(statementCommand())
    .addCommand(auditCommand())
    .addCommand(reconcileCommand())
    .addCommand(statusCommand())
    .addCommand(generationsCommand())
    .addCommand(generationCommand())
    .addCommand(upstreamsCommand())
    .addCommand(webhookCommand())
    .addCommand(assetsCommand())
    .addCommand(retentionCommand())
    .addCommand(userCommand())
    .addCommand(serviceTokenCommand())
    .addCommand(provisionCommand())
    .addCommand(migrateCommand())
    .addCommand(keysCommand());

/**
 * Runs the command that `args` name. Throws CommanderError where they are wrong, or ask for help. The help of a command
 * that there is not would be its parent's, with exit code 0.
 */
export async function runOps(args: readonly string[]): Promise<void> {
  const program = opsProgram();
  explainErrors(program, "ops");
  const isHelp = (arg: string) => arg === "--help" || arg === "-h";
  const known = isKnown(program, args) ? args : args.filter((arg) => !isHelp(arg));
  await program.parseAsync(known, { from: "user" });
}

/** Has each command say after an error where its help is, and throw instead of ending the process. */
function explainErrors(command: Command, path: string): void {
  command.exitOverride().showHelpAfterError(`"${path} --help" says what there is.`);
  for (const each of command.commands) explainErrors(each, `${path} ${each.name()}`);
}

/** Whether each name at the beginning of `args` is that of a command, or `help`. */
function isKnown(command: Command, [name = "-", ...rest]: readonly string[]): boolean {
  if (command.commands.length === 0 || name.startsWith("-") || name === "help") return true;
  const next = command.commands.find((one) => one.name() === name);
  return next !== undefined && isKnown(next, rest);
}
