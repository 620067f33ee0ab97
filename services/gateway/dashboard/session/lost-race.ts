/** Repeats a call of the sign-in library that lost a race: it reads before it writes, and locks nothing in between. */

const UNIQUE_VIOLATION = "23505";

/** Calls again, once, if the database has refused a second row with the same key; the call then finds that row. */
export async function againIfTaken<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error;
    return call();
  }
}
