/** What the Postgres driver throws out of anybody's reach where a server cuts a connection off; its callers are told apart from that. */

type Thrown = { message?: unknown; stack?: unknown; query?: unknown };

/**
 * True for the driver's two slips: a question of its own about types, and a statement of a transaction, that meet a
 * connection which has just been closed. Whoever waits for them hears of the closed connection otherwise.
 */
export function isDriverFault(error: unknown): boolean {
  const { message, stack, query } = (error ?? {}) as Thrown;
  if (String(query).includes("pg_catalog.pg_type")) return true;
  return String(message).includes("reading 'write'") && String(stack).includes("nextWrite");
}

/** Keeps the process alive through those; everything else ends it, as without this. */
export function surviveDriverFaults(): void {
  process.on("uncaughtException", (error) => {
    if (isDriverFault(error)) return;
    process.stderr.write(`${error.stack ?? String(error)}\n`);
    process.exit(1);
  });
}
