/** The memory of processes, on Linux. */
import { readFileSync } from "node:fs";

const MB = 1_000_000;

/** The resident set of a process in megabytes. Throws without /proc, and when the process has ended. */
export function residentMb(pid: number | string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return (Number(kib ?? 0) * 1_024) / MB;
}
