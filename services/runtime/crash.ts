/** The last line of a process that ends by a fault: JSON like every other, and written before the process is gone. */
import { createLog } from "./log.ts";

export function logCrash(error: unknown, message: string): void {
  createLog(undefined).fatal({ err: error }, message);
}

/** From now on an uncaught exception ends the process with such a line. */
export function endOnUncaught(): void {
  process.on("uncaughtException", (error) => {
    logCrash(error, "uncaught exception; the process ends");
    process.exit(1);
  });
}
