/** Where the files of tests can be in memory. */
import { existsSync, readFileSync, statfsSync } from "node:fs";

const FOLDER = "/dev/shm";
/** Several times what a run uses at its largest. */
const ENOUGH_BYTES = 4e9;

/**
 * A folder in memory with room for all files of a test run, or undefined. A database is 600 small files, which take a disk
 * five times the processor that they take memory; each run makes hundreds.
 */
export function memoryFolder(): string | undefined {
  if (!existsSync(FOLDER)) return undefined;
  const { bavail, bsize } = statfsSync(FOLDER);
  const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
  const options = mounts.findLast((line) => line.split(" ")[1] === FOLDER)?.split(" ")[3];
  // Some tests run programs that they have installed there.
  const runsPrograms = options !== undefined && !options.split(",").includes("noexec");
  return runsPrograms && bavail * bsize >= ENOUGH_BYTES ? FOLDER : undefined;
}
