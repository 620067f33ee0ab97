/** The commands of the operators' command line, and what it says of one that fails: also which option a service refuses. */
import { Code, ConnectError } from "@connectrpc/connect";
import { Command, CommanderError, type Option } from "commander";
import type { Env } from "#runtime/env.ts";
import { faultsOf } from "#runtime/rpc/errors.ts";
import { VERSION } from "#runtime/version.ts";
import { addRows, UsageError } from "./commands/engine.ts";
import { auditCommand, statementCommand } from "./commands/ledger.ts";
import {
  migrateCommand,
  provisionCommand,
  serviceKeyCommand,
  serviceTokenCommand,
} from "./commands/setup.ts";
import { statusCommand } from "./commands/status.ts";
import { NOUNS, ROWS } from "./commands/table.ts";
import { tryUpstreamsCommand } from "./commands/try-upstreams.ts";
import { commandName } from "./session/config.ts";

/** Something needs the operator: a command that found it sets it too. */
const FAILED = 1;
const WRONG_COMMAND = 2;

/** Runs the command that `args` name to its end, says what went wrong, and sets the exit code. */
export async function runToExitCode(args: readonly string[], env: Env): Promise<void> {
  try {
    await runOps(args, commandName(env));
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has printed the help or the error.
      process.exitCode = error.exitCode === 0 ? 0 : WRONG_COMMAND;
    } else {
      writeWithoutKeys(`ops: ${said(error)}\n`);
      process.exitCode = error instanceof UsageError ? WRONG_COMMAND : FAILED;
    }
  }
}

/** What went wrong may quote what was given, such as an API key in the place of its id. */
function writeWithoutKeys(text: string): void {
  process.stderr.write(text.replaceAll(/(mgs_(?:live|test)_)\w+/g, "$1…"));
}

function said(error: unknown): string {
  if (!(error instanceof ConnectError)) return (error as Error).message;
  // The answer of an HTTP server that knows no such path counts as a fault of the connection, which it is the cause of.
  const codes = [error.code, (error.cause as { code?: unknown } | undefined)?.code];
  if (!codes.includes(Code.Unimplemented)) return error.rawMessage;
  return "the service does not know this call: use the ops of the release that it runs (ops status), or look at its address in OPS_ENDPOINTS_FILE";
}

/** The whole command line; the caller parses arguments with it. */
export function opsProgram(): Command {
  const program = new Command("ops").description("Operate the media generation service.");
  program.version(VERSION);
  program.addCommand(statusCommand());
  addRows(program, ROWS, NOUNS);
  program.commands.find((one) => one.name() === "upstream")?.addCommand(tryUpstreamsCommand());
  program.addCommand(statementCommand()).addCommand(auditCommand());
  program.addCommand(serviceTokenCommand()).addCommand(provisionCommand());
  program.addCommand(migrateCommand()).addCommand(serviceKeyCommand());
  return program;
}

/**
 * Runs the command that `args` name. `shell` is how this command line is called, for its help. Throws CommanderError where
 * the arguments are wrong, or ask for help, and UsageError where a service refuses a value.
 */
async function runOps(args: readonly string[], shell: string): Promise<void> {
  const program = opsProgram().name(shell);
  explain(program, shell);
  let chosen: Command = program;
  program.hook("preAction", (_, command) => {
    chosen = command;
    checkGiven(command);
  });
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    throw wrongValueError(error, chosen) ?? error;
  }
}

/** Errors name the help and are thrown instead of ending the process. Help says which options are required. */
function explain(command: Command, path: string): void {
  command.exitOverride().showHelpAfterError(`"${path} --help" says what there is.`);
  command.configureOutput({ writeErr: writeWithoutKeys });
  // Commander names one missing option, and no option for an argument that has no place: `checkGiven` names all.
  command.allowExcessArguments();
  for (const option of command.options.filter((one) => one.mandatory)) {
    option.makeOptionMandatory(false).description += " (required)";
    required.add(option);
  }
  for (const each of command.commands) explain(each, `${path} ${each.name()}`);
}

const required = new WeakSet<Option>();

/** Throws where required options are missing, or an argument belongs to none. */
function checkGiven(command: Command): void {
  const missing = command.options.filter(
    (one) => required.has(one) && command.getOptionValue(one.attributeName()) === undefined,
  );
  const unplaced = command.args.slice(command.registeredArguments.length);
  const names = (options: Option[]) => options.map(({ long }) => long).join(", ");
  const taking = names(command.options.filter((one) => one.required));
  const why = taking
    ? `belongs to an option (${taking})`
    : "is too much: no option here takes a value";
  const wrong = [
    ...unplaced.map((text) => `"${text}" ${why}`),
    ...(missing.length > 0 ? [`required: ${names(missing)}`] : []),
  ];
  if (wrong.length > 0) throw new UsageError(`${wrong.join("; ")}; see "--help"`);
}

/** Says which option or argument of a command has a value that a service refuses. */
function wrongValueError(error: unknown, command: Command): UsageError | undefined {
  if (!(error instanceof ConnectError) || error.code !== Code.InvalidArgument) return undefined;
  const lines = faultsOf(error).map(({ field, message }) => {
    const said = message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
    const named = placeOf(field, command);
    const worded = said
      .replace(/does not match regex pattern `(.*)`$/s, (_, pattern) => formOf(pattern))
      .replace("must be at least 1 characters", "must not be empty");
    return `${named === "" ? "" : `${named}: `}${worded}`;
  });
  return new UsageError(lines.length > 0 ? lines.join("\n") : error.rawMessage);
}

/** What a value must be by a pattern of the protos: one of some words, an id, or something else of a form. */
function formOf(pattern: string): string {
  const [, words] = /^\^\(([\w|]+)\)\$$/.exec(pattern) ?? [];
  if (words) return `must be ${words.replaceAll("|", " or ")}`;
  if (pattern.includes("@")) return "must be an address such as ada@example.com";
  const [, prefix] = /^\^([a-z[\]]+)_\[/.exec(pattern) ?? [];
  if (!prefix) return "does not have the right form";
  return `must be an id: ${prefix.replace("[vi]gen", "vgen_ or igen")}_ and 26 more characters`;
}

/** `account_id` is given by `--account`, and the id of an argument by `<id>`; else the field's own name. */
function placeOf(field: string, command: Command): string {
  const parts = field.split(/[.[]/);
  const [name = field] = parts;
  const names = parts
    .flatMap((part) => [part, part.replace(/_id$/, "")])
    .map((one) => `--${one.replaceAll("_", "-")}`);
  const option = command.options.find(({ long }) => long && names.includes(long));
  if (option?.long) return option.long;
  const [argument] = name.endsWith("_id") ? command.registeredArguments : [];
  return argument ? `<${argument.name()}>` : field;
}
