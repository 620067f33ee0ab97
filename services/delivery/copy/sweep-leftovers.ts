/** Removes the temporary files that a crash left behind. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Removes files of `directory` that were last written before `before`; younger ones may be in use. */
export async function sweepLeftovers(directory: string, before: Date): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  for (const name of names) {
    const path = join(directory, name);
    const info = await stat(path).catch(() => undefined);
    if (info?.isFile() && info.mtime < before) await rm(path, { force: true });
  }
}
