/** Tells whether a folder was built from the current sources, by their hash, which a build leaves in it. */
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

export function hashOf(root, paths) {
  const hash = createHash("sha256");
  for (const path of paths) {
    const content = readFileSync(join(root, path));
    hash.update(`${path} ${content.length}\n`).update(content);
  }
  return hash.digest("hex");
}

export function isBuiltFrom(stamp, hash) {
  return existsSync(stamp) && readFileSync(stamp, "utf8") === hash;
}
