/** Measures how long work takes, and what it comes to. */

/** Runs `work`; tells `observe` its result or error, and the seconds until then. Rejects as `work` does. */
export async function timed<T>(
  work: () => Promise<T>,
  observe: (result: PromiseSettledResult<T>, seconds: number) => void,
): Promise<T> {
  const startedMs = performance.now();
  const [result] = await Promise.allSettled([(async () => work())()]);
  observe(result, (performance.now() - startedMs) / 1_000);
  if (result.status === "rejected") throw result.reason;
  return result.value;
}
