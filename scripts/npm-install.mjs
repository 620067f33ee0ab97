/** Installs the packages of a folder that has a lockfile, once for each version of it. */
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { mustRun } from "./run-child.mjs";

const lockOf = (folder) => join(folder, "package-lock.json");
/** A copy of the lockfile that was installed. */
const installedLock = (folder) => join(folder, "node_modules/.installed-lock.json");

export function isInstalled(folder) {
  const installed = installedLock(folder);
  return existsSync(installed) && readFileSync(installed).equals(readFileSync(lockOf(folder)));
}

/** Throws an error with the first and the last lines of npm's output. */
export async function install(folder, ...flags) {
  const args = ["ci", "--no-audit", "--no-fund", "--loglevel=error", ...flags];
  const fault = "The dependencies could not be installed: npm ci failed.";
  await mustRun(fault, "npm", args, { cwd: folder });
  copyFileSync(lockOf(folder), installedLock(folder));
}
