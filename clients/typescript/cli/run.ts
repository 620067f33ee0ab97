/** What a command works with, and what several commands do. */
import { join, relative } from "node:path";
import type { Client, Image, Video } from "../index.ts";
import { UsageError } from "./cli-errors.ts";
import { formatText } from "./details.ts";
import { resolveFromCaller, type Environment } from "./environment.ts";
import { tokensText, type Screen } from "./progress-display.ts";
import { defaultName, isFolder, numbered, pipe, save } from "./save-file.ts";
import { STDOUT, type StandardStreams } from "./standard-streams.ts";

export type Run = StandardStreams & {
  client: Client;
  screen: Screen;
  /** Prints a line of the result. */
  print: (line: string) => void;
  env: Environment;
  /** What the user types to run this command line. */
  program: string;
  /** The service's URL where it was an option. */
  baseUrl?: string;
  /** Whether results are printed as JSON. */
  json?: boolean;
  signal: AbortSignal;
  /** Sets the text to show if the run is interrupted from now on, and the generation that it is about. */
  setHint: (hint: string, generationId?: string) => void;
};

export type Generation = Video | Image;

/**
 * Saves the files of an ended generation and shows the charge; with --json prints the generation, and saves where a file is
 * named. False if it failed or was canceled. `isRepeated`: the request was made before, so that it is charged already.
 */
export async function finish(
  run: Run,
  generation: Generation,
  { out, isRepeated = false }: { out: string | undefined; isRepeated?: boolean },
): Promise<boolean> {
  const { id, status, output, error, credits } = generation;
  if (run.json) run.print(JSON.stringify(generation));
  if (output.length === 0) {
    run.screen.line(error ? `${status} (${error.code}): ${error.message}` : status);
    run.screen.line(`Nothing is charged; ${await balanceText(run)}`);
    return false;
  }
  const when = isRepeated ? " when it was first made" : "";
  const charged = `${tokensText(credits)}${when}`;
  run.setHint(`${id} is made (charged ${charged}). To save it: ${getCommand(run, id, out)}`, id);
  if (out === STDOUT) {
    if (output.length > 1)
      throw new UsageError("--output - is for one file, and this generation has several.");
    for (const file of output) await pipe(run, file);
  } else await saveAll(run, generation, out);
  run.setHint(`Charged ${charged}.`, id);
  run.screen.line(`Charged ${charged}; ${await balanceText(run)}`);
  return true;
}

async function saveAll(
  run: Run,
  { id, output }: Generation,
  out: string | undefined,
): Promise<void> {
  const isIn = out !== undefined && (await isFolder(resolveFromCaller(out, run.env)));
  for (const [index, file] of run.json && out === undefined ? [] : output.entries()) {
    const own = defaultName(id, file.url);
    await saveOne(run, file, numbered(isIn ? join(out, own) : (out ?? own), index));
  }
}

async function saveOne(run: Run, file: Generation["output"][number], name: string): Promise<void> {
  const path = resolveFromCaller(name, run.env);
  await save(run, file, path);
  const relativePath = relative(resolveFromCaller(".", run.env), path);
  run.screen.line(`Saved, ${formatText(file)}:`);
  (run.json ? run.screen.line : run.print)(relativePath.startsWith("..") ? path : relativePath);
}

async function balanceText({ client, signal }: Run): Promise<string> {
  const { available } = await client.balance.retrieve({ signal });
  return `${tokensText(available)} left.`;
}

/** The command that waits for a generation again and saves it, quoted for a shell. */
export function getCommand(
  { program, baseUrl }: Pick<Run, "program" | "baseUrl">,
  id: string,
  out: string | undefined,
): string {
  const rest = [
    "--wait",
    ...(out === undefined ? [] : ["--output", shellQuoted(out)]),
    ...(baseUrl === undefined ? [] : ["--base-url", shellQuoted(baseUrl)]),
  ];
  return [program, "get", id, ...rest].join(" ");
}

function shellQuoted(word: string): string {
  return /^[\w./:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
