/** When pages read again: often while something runs, and at once after a change of the user. */

/** What it needs of a QueryClient. */
export type Refetching = Record<"cancelQueries" | "invalidateQueries", () => Promise<void>>;

/**
 * Reads again what is shown. A first answer that is still on its way is given up: it may be from before the change, and to
 * invalidate its query would wait for just that answer.
 */
export async function refetch(client: Refetching): Promise<void> {
  await client.cancelQueries();
  await client.invalidateQueries();
}

/** Resolves when `reads` have ended, or after this time. */
export const atMost = (ms: number, ...reads: Promise<unknown>[]): Promise<unknown> =>
  Promise.race([Promise.all(reads), new Promise((resolve) => setTimeout(resolve, ms))]);

const RUNNING_MS = 2_000;
const IDLE_MS = 15_000;

/** When a query reads again. */
export function pollMs(isRunning: boolean): number {
  return isRunning ? RUNNING_MS : IDLE_MS;
}
