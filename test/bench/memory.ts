/** The memory of processes, on Linux. */
import { readFileSync } from "node:fs";

/** The resident sets of processes together, in megabytes. Throws without /proc, and when one has ended. */
export function residentMb(pids: readonly number[]): number {
  const bytes = pids.map((pid) => {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1_024;
  });
  return bytes.reduce((total, one) => total + one, 0) / 1_000_000;
}
