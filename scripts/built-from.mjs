/** What is made from sources, and again when they have changed: their hash is left in a file of what was made. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The files in `folder` that are sources, in order. */
export function sourcesIn(folder, isSource) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(isSource)
    .sort();
}

/**
 * `files` are sources outside of `folders`.
 * @param {{ files: string[], folders: string[], isSource: (path: string) => boolean }} build
 */
export function hashOf({ files, folders, isSource }) {
  const hash = createHash("sha256");
  const inFolders = folders.flatMap((folder) => sourcesIn(folder, isSource));
  for (const path of [...files, ...inFolders]) {
    const content = readFileSync(path);
    hash.update(`${path} ${content.length}\n`).update(content);
  }
  return hash.digest("hex");
}

/** Whether it was made from the current sources; true where there is nothing to make it from. */
export function isBuilt({ entry, stamp, ...build }) {
  if (!existsSync(entry)) return true;
  return existsSync(stamp) && readFileSync(stamp, "utf8") === hashOf(build);
}
