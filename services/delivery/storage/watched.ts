/** A store that knows whether it takes and gives objects. */
import { within, type Clock } from "#runtime/clock.ts";
import { LengthMismatchError, type ObjectStore } from "./object-store.ts";

export type StorageOperation = "read" | "write";

/** A name that no object has: storage answers at once that there is none. */
const NO_KEY = "none";
/** Less than a scrape waits. */
const ANSWER_MS = 900;
/** A put that hangs fails after four minutes, and is repeated within one. */
const REMEMBER_MS = 5 * 60_000;

export type WatchedStore = {
  store: ObjectStore;
  /** Reads now. Whether it takes, the last put tells: a probe would leave versions in a bucket that keeps them. */
  available: () => Promise<Record<StorageOperation, boolean>>;
};

export function watchedStore(store: ObjectStore, clock: Clock): WatchedStore {
  let failedAtMs = -Infinity;
  return {
    store: {
      ...store,
      async put(...args) {
        try {
          const stored = await store.put(...args);
          failedAtMs = -Infinity;
          return stored;
        } catch (error) {
          if (!(error instanceof LengthMismatchError)) failedAtMs = clock.monotonicMs();
          throw error;
        }
      },
    },
    async available() {
      const answered = store.head(NO_KEY).then(
        () => true,
        () => false,
      );
      const read = (await within(clock, ANSWER_MS, answered)) ?? false;
      return { read, write: clock.monotonicMs() - failedAtMs > REMEMBER_MS };
    },
  };
}
