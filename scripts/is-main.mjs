/** Whether a script is run by itself, and not imported. */
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** `url`: the script's `import.meta.url`. */
export function isMain(url) {
  const [, program] = process.argv;
  return program !== undefined && realpathSync(program) === fileURLToPath(url);
}
