/** Shows a generation, file or delivery; waits for a generation and saves its file. */
import { UsageError } from "./cli-errors.ts";
import type { GetOptions } from "./commands.ts";
import { deliveryText, fileText, generationText } from "./details.ts";
import { resolveFromCaller } from "./environment.ts";
import { kindOfId } from "./by-id.ts";
import { finish, getCommand, type Generation, type Run } from "./run.ts";
import { checkWritable, makeFolder } from "./save-file.ts";
import { STDOUT } from "./standard-streams.ts";

const POLL_MS = 1_000;

/** False if the generation that was to be saved or waited for failed or was canceled. */
export async function get(
  run: Run,
  id: string,
  { wait, output: out }: GetOptions,
): Promise<boolean> {
  const { client, signal } = run;
  const kind = kindOfId(id, ["videos", "images", "files", "deliveries"]);
  if (kind === "files" || kind === "deliveries") {
    if (wait || out !== undefined) {
      throw new UsageError(
        "--wait and --output are for generations, whose ids begin with vgen_ or igen_.",
      );
    }
    if (kind === "files") show(run, await client.files.retrieve(id, { signal }), fileText);
    else show(run, await client.deliveries.retrieve(id, { signal }), deliveryText);
    return true;
  }
  await checkOut(run, out);
  if (wait) run.setHint(`To try again: ${getCommand(run, id, out)}`, id);
  const generation = await (wait ? waitFor(run, id) : client[kind].retrieve(id, { signal }));
  if (!wait && out === undefined) {
    show(run, generation, generationText);
    return true;
  }
  if (generation.status === "pending" || generation.status === "processing") {
    throw new UsageError(`It is ${generation.status}. To wait for it: ${getCommand(run, id, out)}`);
  }
  return finish(run, generation, { out });
}

/** Prints an object for people, with --json as the API has it. */
export function show<T>({ print, json }: Run, value: T, textOf: (value: T) => string): void {
  print(json ? JSON.stringify(value) : textOf(value));
}

/** Shows the progress until the generation has ended. */
export function waitFor({ client, screen, signal }: Run, id: string): Promise<Generation> {
  const onProgress = ({ status, progress }: Generation) => screen.progress(status, progress);
  const options = { onProgress, signal, pollMs: POLL_MS };
  return client[kindOfId(id, ["videos", "images"])].wait(id, options);
}

/**
 * Makes the folder that ends with a slash. Throws UsageError if no file, or not as many as `count`, can be written there; called
 * before Tokens are spent.
 */
export async function checkOut(
  { env, json }: Run,
  out: string | undefined,
  count = 1,
): Promise<void> {
  if (out === undefined) return;
  if (out === STDOUT) {
    if (json)
      throw new UsageError("--output - and --json would both write to the standard output.");
    if (count > 1) throw new UsageError("--output - is for one file: --n must be 1.");
    return;
  }
  const path = resolveFromCaller(out, env);
  if (out.endsWith("/")) await makeFolder(path);
  await checkWritable(path);
}
