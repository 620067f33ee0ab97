/** Keeps the folder of rendered files within its limits of size and age. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { UNFINISHED_ENDING } from "./render/messages.ts";

/** No render takes this long: an unfinished file of this age was left by a killed process. */
const ABANDONED_AFTER_MS = 60 * 60 * 1000;

/** A file shows a prompt that its owner may delete at any time; it is copied within moments, else rendered again. */
const KEPT_MS = 10 * 60 * 1000;

/** Removes what killed renders left and what is old, then the oldest files until `maxBytes` are not exceeded. */
export async function trimCache(directory: string, maxBytes: number): Promise<void> {
  const files = await filesIn(directory);
  const now = Date.now();
  let bytes = files.reduce((sum, { size }) => sum + size, 0);
  for (const { path, size, mtimeMs } of files.toSorted(
    (one, other) => one.mtimeMs - other.mtimeMs,
  )) {
    const isUnfinished = path.endsWith(UNFINISHED_ENDING);
    const isOld = mtimeMs <= now - (isUnfinished ? ABANDONED_AFTER_MS : KEPT_MS);
    if (!isOld && (isUnfinished || bytes <= maxBytes)) continue;
    await rm(path, { force: true });
    bytes -= size;
  }
}

async function filesIn(directory: string) {
  const entries = await readdir(directory, { withFileTypes: true });
  const found = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async ({ name }) => {
        const path = join(directory, name);
        const facts = await stat(path).catch(() => undefined);
        return facts && { path, size: facts.size, mtimeMs: facts.mtimeMs };
      }),
  );
  return found.filter((file) => file !== undefined);
}
