/** Runs the command line: a command of it, and what is said when it fails. */
import { CommanderError } from "commander";
import { createClient } from "../index.ts";
import { balance, models, upload } from "./account.ts";
import { commandLine } from "./commands.ts";
import { create } from "./create.ts";
import { apiKeyOf, baseUrlOf, programOf, type Environment } from "./environment.ts";
import { errorJson, errorText, usageText } from "./error-text.ts";
import { errorCodeOf, EXIT, exitCodeOf } from "./exit-code.ts";
import { get } from "./get.ts";
import { cancel, redeliver, remove } from "./by-id.ts";
import { listen } from "./listen.ts";
import { list } from "./list.ts";
import { screenOn, type Output } from "./progress-display.ts";
import type { Run } from "./run.ts";
import { END, RED, withColours } from "./table.ts";

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

  const openRun = (): Run & { apiKey: string } => {
    const options = program.opts<{ baseUrl?: string; json?: boolean }>();
    const apiKey = apiKeyOf(env);
    return {
      client: createClient({ baseUrl: baseUrlOf(options, env), apiKey }),
      apiKey,
      screen,
      stdin,
      print: (line) =>
        stdout.write(`${isColoured(stdout) && !options.json ? withColours(line) : line}\n`),
      write: (bytes) => stdout.write(bytes),
      env,
      program: name,
      ...options,
      signal,
      setHint: (text, id) => {
        hint = text;
        generationId = id;
      },
    };
  };
  const ended = async (isSuccess: Promise<boolean>): Promise<void> => {
    if (!(await isSuccess)) exitCode = EXIT.failed;
  };
  const program = commandLine(
    {
      video: (prompt, options) => ended(create(openRun(), "video", prompt, options)),
      image: (prompt, options) => ended(create(openRun(), "image", prompt, options)),
      models: (id, options) => models(openRun(), id, options),
      balance: () => balance(openRun()),
      get: (id, options) => ended(get(openRun(), id, options)),
      list: (kind, options) => list(openRun(), kind, options),
      redeliver: (id) => redeliver(openRun(), id),
      cancel: (id) => cancel(openRun(), id),
      remove: (id, options) => remove(openRun(), id, options),
      upload: (file) => upload(openRun(), file),
      listen: (options) => listen(openRun(), options),
    },
    name,
    { writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) },
  );

  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    const isStopped = signal.aborted;
    const code = isStopped ? EXIT.stopped : exitCodeOf(error);
    if (code === EXIT.done) return code;
    const text = isStopped ? "Stopped waiting." : errorText(error);
    const mayContinue = code === EXIT.stopped || code === EXIT.unreachable;
    const lines = [text, mayContinue ? hint : undefined].filter((line) => line !== undefined);
    if (isJson(args)) {
      const said = error instanceof CommanderError ? [usageText(error)] : lines;
      const errorCode = errorCodeOf(error, { isStopped });
      stdout.write(`${errorJson(error, errorCode, said.join("\n"), generationId)}\n`);
    }
    if (code === undefined) throw error;
    for (const line of lines)
      screen.line(line === text && isColoured(stderr) && !isStopped ? `${RED}${line}${END}` : line);
    return code;
  }
}

/** Whether JSON is asked for, also where the rest of the command is wrong. */
function isJson(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end === -1 ? args : args.slice(0, end)).includes("--json");
}
