/** How many connections a port may have, so that they cannot use up the files that the process may open. */
import { readFileSync } from "node:fs";

const MAX_CONNECTIONS = 10_000;

/** Half of the files that the process may open; the others are for all else that it does. */
export function maxConnections(): number {
  return Math.min(MAX_CONNECTIONS, Math.floor(maxOpenFiles() / 2));
}

/** Infinity where the system does not tell, or has no limit. */
function maxOpenFiles(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity);
  } catch {
    return Infinity;
  }
}
