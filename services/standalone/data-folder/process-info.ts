/** Reads state and command line of other processes from the operating system. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const HAS_PROC = existsSync("/proc/self/stat");

/** Whether a process runs; a zombie does not. */
export function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  const stat = read(`/proc/${pid}/stat`);
  // The name before the state may contain spaces.
  const state = stat?.[stat.lastIndexOf(")") + 2];
  return state !== "Z" && state !== "X";
}

/** The command line of a process, joined by spaces. */
export function commandLine(pid: number): string | undefined {
  if (HAS_PROC) return read(`/proc/${pid}/cmdline`)?.replaceAll("\0", " ");
  const { stdout } = spawnSync("ps", ["-p", String(pid), "-o", "command="], { encoding: "utf8" });
  return stdout?.trim() || undefined;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
