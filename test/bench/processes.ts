/** What processes take of memory and processors, by /proc of Linux. */
import { readFileSync } from "node:fs";

/** The unit of processor times. */
const TICK_MS = 10;

/** The resident sets of processes together, in megabytes. Throws without /proc, and when one has ended. */
export function residentMb(pids: readonly number[]): number {
  const bytes = pids.map((pid) => {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1_024;
  });
  return bytes.reduce((total, one) => total + one, 0) / 1_000_000;
}

/** The processor time that processes have taken so far, in ms. */
export function processorMs(pids: readonly number[]): number {
  const ticks = pids.flatMap((pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return [Number(fields[11]), Number(fields[12])];
  });
  return ticks.reduce((total, one) => total + one, 0) * TICK_MS;
}
