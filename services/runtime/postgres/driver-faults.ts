/** Survives errors that the Postgres driver throws inside a socket callback, where no caller can catch them. */

import { logCrash } from "../crash.ts";

type Thrown = { message?: unknown; stack?: unknown; query?: unknown };

/**
 * Whether `error` is one of two errors that the driver throws when the server has just closed a connection: from its
 * own query of types, and from the next statement of a transaction. The callers' promises are rejected separately.
 */
export function isDriverFault(error: unknown): boolean {
  const { message, stack, query } = (error ?? {}) as Thrown;
  if (String(query).includes("pg_catalog.pg_type")) return true;
  return String(message).includes("reading 'write'") && String(stack).includes("nextWrite");
}

/** Ignores those errors; any other uncaught exception still ends the process. */
export function surviveDriverFaults(service?: string): void {
  process.on("uncaughtException", (error) => {
    if (isDriverFault(error)) return;
    logCrash(service, error, "uncaught exception; the process ends");
    process.exit(1);
  });
}
