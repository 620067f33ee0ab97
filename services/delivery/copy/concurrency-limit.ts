/** Lets only so many tasks run at once; the others wait in order of arrival. */

export type Limited = <T>(task: () => Promise<T>) => Promise<T>;

export function concurrencyLimit(maxRunning: number): Limited {
  let running = 0;
  const waiting: (() => void)[] = [];
  const enter = async (): Promise<void> => {
    if (running < maxRunning) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const leave = (): void => {
    const next = waiting.shift();
    // The place passes on as it is, so that nobody who comes now can take it.
    if (next) next();
    else running -= 1;
  };
  return async (task) => {
    await enter();
    try {
      return await task();
    } finally {
      leave();
    }
  };
}
