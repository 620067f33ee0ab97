/** The last line of a process that ends by a fault: JSON like every other, and written before the process is gone. */
import { createLog } from "./log.ts";

/** `service`: what the process runs; undefined for several. */
export function logCrash(service: string | undefined, error: unknown, message: string): void {
  createLog(service).fatal({ err: error }, message);
}
