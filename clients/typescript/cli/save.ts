/** Saves the files of an ended generation, each completely or not at all, and shows what was charged. */
import { access, constants, mkdir, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { ArgumentError } from "../index.ts";
import { formatText, tokensText } from "./display.ts";
import { SaveError } from "./errors.ts";
import { getCommand, STANDARD, type Generation, type Run } from "./run.ts";

type Out = string | undefined;
type File = Generation["output"][number];

/**
 * Makes the folder that ends with a slash. Throws ArgumentError if no file, or not as many as `count`, can be written there; called
 * before Tokens are spent.
 */
export async function checkOut({ pathOf, json }: Run, out: Out, count = 1): Promise<void> {
  if (out === undefined) return;
  if (out === STANDARD) {
    if (json)
      throw new ArgumentError("--output - and --json would both write to the standard output.");
    if (count > 1) throw new ArgumentError("--output - is for one file: --n must be 1.");
    return;
  }
  const path = pathOf(out);
  if (out.endsWith("/"))
    await mkdir(path, { recursive: true }).catch((cause: Error) => {
      throw new ArgumentError(`Cannot make the folder ${path}: ${cause.message}.`, { cause });
    });
  const folder = (await isFolder(path)) ? path : dirname(path);
  await access(folder, constants.W_OK).catch((cause: unknown) => {
    throw new ArgumentError(`Cannot write to the folder ${folder}: does it exist?`, { cause });
  });
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

/**
 * Saves the files of an ended generation and shows the charge; with --json prints the generation, and saves where a file is
 * named. False if it failed or was canceled. `isRepeated`: the request was made before, so that it is charged already.
 */
export async function finish(
  run: Run,
  generation: Generation,
  out: Out,
  isRepeated = false,
): Promise<boolean> {
  const { id, status, output, error, credits } = generation;
  if (run.json) run.print(JSON.stringify(generation));
  if (output.length === 0) {
    run.screen.line(error ? `${status} (${error.code}): ${error.message}` : status);
    run.screen.line(`Nothing is charged; ${await balanceText(run)}`);
    return false;
  }
  const charged = `${tokensText(credits)}${isRepeated ? " when it was first made" : ""}`;
  run.setHint(`${id} is made (charged ${charged}). To save it: ${getCommand(run, id, out)}`, id);
  await saveAll(run, generation, out);
  run.setHint(`Charged ${charged}.`, id);
  run.screen.line(`Charged ${charged}; ${await balanceText(run)}`);
  return true;
}

async function balanceText({ client, signal }: Run): Promise<string> {
  const { available } = await client.balance.retrieve({ signal });
  return `${tokensText(available)} left.`;
}

/** Throws SaveError if a file cannot be downloaded or written. */
async function saveAll(run: Run, { id, output }: Generation, out: Out): Promise<void> {
  if (out === undefined && run.json) return;
  if (out === STANDARD && output.length > 1)
    throw new ArgumentError("--output - is for one file, and this generation has several.");
  const isIn = out !== undefined && (await isFolder(run.pathOf(out)));
  for (const [index, file] of output.entries()) {
    const own = defaultName(id, file.url);
    const name = numbered(isIn ? join(out, own) : (out ?? own), index);
    const saving = out === STANDARD ? pipe(run, file) : saveOne(run, file, run.pathOf(name));
    await saving.catch((cause: unknown) => {
      if (run.signal.aborted) throw cause;
      throw new SaveError(`${file.url} cannot be saved: ${(cause as Error).message}`, { cause });
    });
  }
}

/** Completely or not at all. */
async function pipe({ client, signal, write }: Run, file: File): Promise<void> {
  const response = await client.download(file, { signal });
  write(new Uint8Array(await response.arrayBuffer()));
}

async function saveOne(run: Run, file: File, path: string): Promise<void> {
  await run.client.download(file, path, { signal: run.signal });
  const relativePath = relative(run.pathOf("."), path);
  run.screen.line(`Saved, ${formatText(file)}:`);
  (run.json ? run.screen.line : run.print)(relativePath.startsWith("..") ? path : relativePath);
}

/** The generation's id with the extension of the stored file. */
function defaultName(id: string, url: string): string {
  return `${id}${/\.[a-z0-9]+$/.exec(new URL(url).pathname)?.[0] ?? ""}`;
}

/** The name of one of several files: cat.png, cat-2.png, cat-3.png. */
function numbered(name: string, index: number): string {
  return index === 0 ? name : name.replace(/(\.\w+)?$/, `-${index + 1}$&`);
}
