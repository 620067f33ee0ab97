/** Reads the command line of other processes from the operating system. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

/** Joined by spaces; empty where there is no such process, or it has ended. */
export function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    if (existsSync("/proc/self")) return "";
  }
  return spawnSync("ps", ["-p", String(pid), "-o", "command="], { encoding: "utf8" }).stdout ?? "";
}
