/** Runs the command line: a command of it, and what is said when it fails. */
import { createClient } from "../index.ts";
import { commandLine } from "./commands.ts";
import { apiKeyOf, baseUrlOf, type Environment } from "./environment.ts";
import { errorText, EXIT, exitCodeOf } from "./exit-code.ts";
import { download, follow } from "./follow.ts";
import { generate } from "./generate.ts";
import { cancel, list, show } from "./inspect.ts";
import { screenOn, type Output } from "./progress-display.ts";
import type { Run } from "./run.ts";

export type Streams = { stdout: Output; stderr: Output };

/** Resolves with the exit code. Rejects with an error that is nobody's fault but the program's. */
export async function runProgram(
  args: readonly string[],
  env: Environment,
  { stdout, stderr }: Streams,
  signal: AbortSignal,
): Promise<number> {
  const screen = screenOn(stderr, Date.now);
  let exitCode: number = EXIT.done;
  let hint: string | undefined;

  const openRun = (): Run => {
    const options = program.opts<{ baseUrl?: string }>();
    return {
      client: createClient({ baseUrl: baseUrlOf(options, env), apiKey: apiKeyOf(env) }),
      screen,
      print: (line) => stdout.write(`${line}\n`),
      env,
      ...options,
      signal,
      setHint: (text) => (hint = text),
    };
  };
  const saved = async (isSaved: Promise<boolean>): Promise<void> => {
    if (!(await isSaved)) exitCode = EXIT.failed;
  };
  const program = commandLine(
    {
      generate: (prompt, options) => saved(generate(openRun(), prompt, options)),
      list: (kind, options) => list(openRun(), kind, options),
      show: (id) => show(openRun(), id),
      cancel: (id) => cancel(openRun(), id),
      download: (id, options) => saved(download(openRun(), id, options)),
      follow: (id, options) => saved(follow(openRun(), id, options)),
    },
    { writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) },
  );

  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    const code = signal.aborted ? EXIT.stopped : exitCodeOf(error);
    if (code === undefined) throw error;
    const text = signal.aborted ? "Stopped waiting." : errorText(error);
    const mayContinue = code === EXIT.stopped || code === EXIT.unreachable;
    for (const line of [text, mayContinue ? hint : undefined]) {
      if (line !== undefined) screen.line(line);
    }
    return code;
  }
}
