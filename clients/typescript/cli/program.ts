/** Runs the command line: a command of it, and what is said when it fails. */
import { CommanderError } from "commander";
import { ConnectionError, createClient } from "../index.ts";
import { commandLine } from "./commands.ts";
import { inColourOf, screenOn, withColours, type Output } from "./display.ts";
import {
  apiKeyOf,
  baseUrlOf,
  programOf,
  resolveFromCaller,
  type Environment,
} from "./environment.ts";
import { errorJson, errorText, EXIT, kindOf } from "./errors.ts";
import type { Run } from "./run.ts";

export type Streams = {
  /** Bytes where a file is written there. */
  stdout: { write(chunk: string | Uint8Array): unknown; isTTY?: boolean };
  stderr: Output;
  stdin?: NonNullable<Run["stdin"]>;
};

/** Resolves with the exit code. Rejects with an error that is nobody's fault but the program's. */
export async function runProgram(
  args: readonly string[],
  env: Environment,
  { stdout, stderr, stdin }: Streams,
  signal: AbortSignal,
): Promise<number> {
  const screen = screenOn(stderr, Date.now);
  const name = programOf(env);
  const isColoured = (output: { isTTY?: boolean }) => output.isTTY === true && !env["NO_COLOR"];
  let exitCode: number = EXIT.done;
  let hint: string | undefined;
  let generationId: string | undefined;

  const openRun = (): Run => {
    const options = program.opts<{ baseUrl?: string; json?: boolean }>();
    const baseUrl = baseUrlOf(options, env);
    const apiKey = apiKeyOf(env, baseUrl);
    return {
      client: createClient({ baseUrl, apiKey }),
      apiKey,
      screen,
      stdin,
      print: (line) =>
        stdout.write(`${isColoured(stdout) && !options.json ? withColours(line) : line}\n`),
      write: (bytes) => stdout.write(bytes),
      pathOf: (typed) => resolveFromCaller(typed, env),
      program: name,
      ...options,
      signal,
      setHint: (text, id) => {
        hint = text;
        generationId = id;
      },
    };
  };
  const program = commandLine(
    (command) =>
      async (...args) => {
        if ((await command(openRun(), ...args)) === false) exitCode = EXIT.failed;
      },
    name,
    { writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) },
  );

  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
    const isStopped = signal.aborted;
    const { code, exit } = isStopped ? { code: "stopped", exit: EXIT.stopped } : kindOf(error);
    const text = isStopped ? "Stopped waiting." : errorText(error);
    // The client says itself whether a create may have been accepted that got no answer.
    const isLost = error instanceof ConnectionError;
    const mayContinue = isStopped || (exit === EXIT.unreachable && (generationId || !isLost));
    const lines = [text, mayContinue ? hint : undefined].filter((line) => line !== undefined);
    if (isJson(args)) stdout.write(`${errorJson(error, code, lines.join("\n"), generationId)}\n`);
    if (exit === undefined) throw error;
    const isRed = isColoured(stderr) && !isStopped;
    for (const line of lines)
      screen.line(line === text && isRed ? inColourOf("failed", line) : line);
    return exit;
  }
}

/** Whether JSON is asked for, also where the rest of the command is wrong. */
function isJson(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end === -1 ? args : args.slice(0, end)).includes("--json");
}
