/** Counts who has how many of some places, so that nobody takes all of them, however few or many share them. */

export type Shares = {
  /**
   * Takes a place for `who`, who may have as many as there are `free` ones for others: half of all who comes alone, a
   * third each of two. False if that is fewer than one more.
   */
  take: (who: string, free: number) => boolean;
  release: (who: string) => void;
};

/** So many names stay when they have nothing: a Map that names enter and leave with each request costs garbage. */
const KEPT = 1_000;

export function createShares(): Shares {
  const held = new Map<string, number>();
  return {
    take(who, free) {
      const count = held.get(who) ?? 0;
      if (count >= free) return false;
      held.set(who, count + 1);
      return true;
    },
    release(who) {
      const count = (held.get(who) ?? 0) - 1;
      if (count > 0 || held.size < KEPT) held.set(who, count);
      else held.delete(who);
    },
  };
}
