/** What is made from sources, and again when they have changed: their hash is left in a file of what was made. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** The files in `folder` that are sources: their paths from the root, in order. */
export function sourcesIn(root, folder, isSource) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter(isSource)
    .sort();
}

/**
 * `files` are sources outside of `folders`.
 * @param {string} root
 * @param {{ files: string[], folders: string[], isSource: (path: string) => boolean }} build
 */
export function hashOf(root, { files, folders, isSource }) {
  const hash = createHash("sha256");
  const inFolders = folders.flatMap((folder) => sourcesIn(root, folder, isSource));
  for (const path of [...files, ...inFolders]) {
    const content = readFileSync(join(root, path));
    hash.update(`${path} ${content.length}\n`).update(content);
  }
  return hash.digest("hex");
}

/** Whether it was made from the current sources; true where there is nothing to make it from. */
export function isBuilt(root, { entry, stamp, ...build }) {
  if (!existsSync(join(root, entry))) return true;
  const file = join(root, stamp);
  return existsSync(file) && readFileSync(file, "utf8") === hashOf(root, build);
}
