/** The same request for each of many entries. */

/** What browsers send to one host at once, with room left for other requests. */
const AT_ONCE = 4;

type Progress = {
  /** Hears how many have been handled, after each. */
  onHandled?: (count: number) => void;
  /** Once it says so, no further request begins. */
  isStopped?: () => boolean;
};

/** Runs `one` for each entry, some at a time; a failure of one leaves the others. */
export async function someAtATime<Entry>(
  entries: readonly Entry[],
  one: (entry: Entry) => Promise<unknown>,
  { onHandled, isStopped = () => false }: Progress = {},
): Promise<{ done: Entry[]; failures: { entry: Entry; error: unknown }[] }> {
  const done: Entry[] = [];
  const failures: { entry: Entry; error: unknown }[] = [];
  const waiting = [...entries];
  const work = async () => {
    for (let next = waiting.shift(); next && !isStopped(); next = waiting.shift()) {
      try {
        await one(next);
        done.push(next);
      } catch (error) {
        failures.push({ entry: next, error });
      }
      onHandled?.(done.length + failures.length);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { done, failures };
}
