/** Waits for an existing generation, or saves the file of one that has ended. */
import { UsageError } from "./cli-errors.ts";
import type { OutOptions } from "./commands.ts";
import { resolveFromCaller } from "./environment.ts";
import { finish, followCommand, isImageId, retrieve, type Generation, type Run } from "./run.ts";
import { checkWritable } from "./save-file.ts";

const POLL_MS = 1_000;

/** True if the file is saved, false if the generation failed or was canceled. */
export async function follow(run: Run, id: string, { out }: OutOptions): Promise<boolean> {
  await checkOut(run, out);
  run.setHint(`To try again: ${followCommand(run, id, out)}`);
  return finish(run, await waitFor(run, id), out);
}

/** Like follow, for a generation that has ended. Throws UsageError for one that has not. */
export async function download(run: Run, id: string, { out }: OutOptions): Promise<boolean> {
  await checkOut(run, out);
  const generation = await retrieve(run, id);
  if (generation.status === "pending" || generation.status === "processing") {
    const command = followCommand(run, id, out);
    throw new UsageError(`It is ${generation.status}. To wait for it: ${command}`);
  }
  return finish(run, generation, out);
}

/** Shows the progress until the generation has ended. */
export function waitFor({ client, screen, signal }: Run, id: string): Promise<Generation> {
  const onProgress = ({ status, progress }: Generation) => screen.progress(status, progress);
  const options = { onProgress, signal, pollMs: POLL_MS };
  return isImageId(id) ? client.waitForImage(id, options) : client.waitForVideo(id, options);
}

/** Throws UsageError if no file can be written there; called before Tokens are spent. */
export async function checkOut({ env }: Run, out: string | undefined): Promise<void> {
  if (out !== undefined) await checkWritable(resolveFromCaller(out, env));
}
