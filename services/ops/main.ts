/** The operators' command line: calls RPCs of the running service, and sets up what it stands on. */
import { ConnectError } from "@connectrpc/connect";
import { CommanderError } from "commander";
import { UsageError } from "./commands/engine.ts";
import { runOps } from "./program.ts";
import { commandName } from "./session/config.ts";

/** Something needs the operator: a command that found it sets it too. */
const FAILED = 1;
const WRONG_COMMAND = 2;

try {
  await runOps(process.argv.slice(2), commandName(process.env));
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has printed the help or the error.
    process.exitCode = error.exitCode === 0 ? 0 : WRONG_COMMAND;
  } else {
    const text = error instanceof ConnectError ? error.rawMessage : (error as Error).message;
    process.stderr.write(`ops: ${text}\n`);
    process.exitCode = error instanceof UsageError ? WRONG_COMMAND : FAILED;
  }
}
