/** Random choices that a seed repeats. */
import { randomFrom, seedOf } from "../../../services/simulator/scene/random.ts";

export type Random = ReturnType<typeof seededRandom>;

/** The same seed and purpose always give the same choices. */
export function seededRandom(seed: number, purpose: string) {
  const { between, whole } = randomFrom(seedOf(`${seed} ${purpose}`));
  return {
    /** In [0, 1). */
    next: () => between(0, 1),
    /** A whole number from `min` to `max`, both included. */
    integer: whole,
    pick: <T>(items: readonly T[]): T => {
      const item = items[whole(0, items.length - 1)];
      if (item === undefined) throw new Error("nothing to pick from");
      return item;
    },
    shuffle: <T>(items: readonly T[]): T[] =>
      items
        .map((item) => ({ item, at: between(0, 1) }))
        .toSorted((one, other) => one.at - other.at)
        .map(({ item }) => item),
  };
}
