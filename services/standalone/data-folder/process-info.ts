/** Reads state, start time and command line of other processes from the operating system. */
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
  const state = procStat(pid)?.[0];
  return state !== "Z" && state !== "X";
}

/** When a process started, in a unit of the system; tells it from a later process with the same id. */
export function startTime(pid: number): string | undefined {
  return HAS_PROC ? procStat(pid)?.[19] : ps(pid, "lstart=");
}

/** The command line of a process, joined by spaces. */
export function commandLine(pid: number): string | undefined {
  return HAS_PROC ? read(`/proc/${pid}/cmdline`)?.replaceAll("\0", " ") : ps(pid, "command=");
}

/** The fields of /proc/PID/stat from the state on: the name before them may contain spaces. */
function procStat(pid: number): string[] | undefined {
  const text = read(`/proc/${pid}/stat`);
  return text?.slice(text.lastIndexOf(")") + 2).split(" ");
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function ps(pid: number, format: string): string | undefined {
  const { stdout } = spawnSync("ps", ["-p", String(pid), "-o", format], { encoding: "utf8" });
  return stdout?.trim() || undefined;
}
