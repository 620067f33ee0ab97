/** The commands of the operators' command line. */
import { Command, Help } from "commander";
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
import { UsageError } from "./commands/usage-error.ts";
import { webhookCommand } from "./commands/webhook.ts";
import { wrongValueError } from "./commands/wrong-value.ts";

/** The whole command line; the caller parses arguments with it. */
export const opsProgram = (): Command =>
  new Command("ops")
    .description("Operate the media generation service.")
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
 * Runs the command that `args` name. `shell` is how this command line is called, for its help. Throws CommanderError where
 * the arguments are wrong, or ask for help, and UsageError where a service refuses a value. The help of a command that
 * there is not would be its parent's, with exit code 0.
 */
export async function runOps(args: readonly string[], shell: string): Promise<void> {
  const program = opsProgram().name(shell);
  explain(program, shell);
  const isHelp = (arg: string) => arg === "--help" || arg === "-h";
  const known = isKnown(program, args) ? args : args.filter((arg) => !isHelp(arg));
  suggestNeighbor(program, args);
  let chosen: Command = program;
  program.hook("preAction", (_, command) => void (chosen = command));
  try {
    await program.parseAsync(known, { from: "user" });
  } catch (error) {
    throw wrongValueError(error, chosen) ?? error;
  }
}

/**
 * Has each command say after an error where its help is, and throw instead of ending the process. Its help says which
 * options it requires.
 */
function explain(command: Command, path: string): void {
  command.exitOverride().showHelpAfterError(`"${path} --help" says what there is.`);
  command.configureHelp({
    optionDescription: (option) => {
      const description = Help.prototype.optionDescription(option);
      return option.mandatory ? `${description} (required)` : description;
    },
  });
  for (const each of command.commands) explain(each, `${path} ${each.name()}`);
}

/** `key` and `keys`, `generation` and `generations` have different commands: names the one that was meant. */
function suggestNeighbor({ commands }: Command, [noun = "", verb = ""]: readonly string[]): void {
  const singular = (name: string) => name.replace(/s$/, "");
  const has = (command: Command) => command.commands.some((one) => one.name() === verb);
  const near = commands.filter((one) => singular(one.name()) === singular(noun));
  const meant = near.find(has);
  if (meant === undefined || near.some((one) => one.name() === noun && has(one))) return;
  throw new UsageError(
    `unknown command "${noun} ${verb}" (Did you mean "${meant.name()} ${verb}"?)`,
  );
}

/** Whether each name at the beginning of `args` is that of a command, or `help`. */
function isKnown(command: Command, [name = "-", ...rest]: readonly string[]): boolean {
  if (command.commands.length === 0 || name.startsWith("-") || name === "help") return true;
  const next = command.commands.find((one) => one.name() === name);
  return next !== undefined && isKnown(next, rest);
}
