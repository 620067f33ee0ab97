/** When pages read again: often while something runs, and at once what a change of the user has made out of date. */

type Filter = { queryKey: readonly unknown[] };

/** What it needs of a QueryClient. */
export type Refetching = {
  cancelQueries: (filter: Filter) => Promise<void>;
  invalidateQueries: (filter: Filter) => Promise<void>;
};

/**
 * A first answer that is still on its way is given up: it may be from before the change, and to invalidate its query
 * would wait for just that answer.
 */
export async function refetch(
  client: Refetching,
  ...queryKeys: Filter["queryKey"][]
): Promise<void> {
  await Promise.all(
    queryKeys.map(async (queryKey) => {
      await client.cancelQueries({ queryKey });
      await client.invalidateQueries({ queryKey });
    }),
  );
}

const RUNNING_MS = 2_000;
const IDLE_MS = 15_000;

/** When a query reads again. */
export function pollMs(isRunning: boolean): number {
  return isRunning ? RUNNING_MS : IDLE_MS;
}
