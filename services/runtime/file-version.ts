/** Tells that a file has changed without reading it. */
import { statSync } from "node:fs";

/** Returns a string that changes when the file changes. */
export function fileVersion(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? `${stat.mtimeMs}/${stat.size}/${stat.ino}` : "absent";
}
