/** Which errors mean that Postgres cannot be used now, so that the same call may succeed later. */

/** No connection within the time limit, or the connection was lost; `cause` has the details. */
export class DatabaseUnavailable extends Error {
  override name = "DatabaseUnavailable";
}

/** The SQLSTATE of a write on a standby: the server that was the primary is it no more. */
export const READ_ONLY_STATE = "25006";

/** Lost connections, time limits, shutdown and start, too many clients, deadlocks, standbys. */
const UNAVAILABLE_STATES = /^(08...|25006|57014|57P0[1-5]|25P0[34]|53300|55P03|40001|40P01)$/;

/**
 * Whether `error`, or what caused it, says that Postgres could not carry out a statement now, for a reason that has
 * nothing to do with the statement. A write that failed so may have happened.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return true;
  const { name, code, cause } = (error ?? {}) as {
    name?: unknown;
    code?: unknown;
    cause?: unknown;
  };
  if (name === "PostgresError" && UNAVAILABLE_STATES.test(String(code))) return true;
  return cause !== undefined && isDatabaseUnavailable(cause);
}
