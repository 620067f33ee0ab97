/** The state of an account in live updates, and the difference between two states. */
import type { components } from "#gen/openapi/dashboard.ts";
import type { components as publicComponents } from "#gen/openapi/media.ts";

type GenerationUpdate = components["schemas"]["GenerationUpdate"];
type Balance = publicComponents["schemas"]["Balance"];

export type Snapshot = {
  /** The recent generations of each kind, newest first. */
  generations: GenerationUpdate[];
  balance: Balance;
  /** Whether one of them is unfinished. */
  isBusy: boolean;
};

export type Update =
  | { event: "generation"; data: GenerationUpdate }
  | { event: "balance"; data: Balance };

/** The updates from `before` to `after`, oldest generations first; all of `after` when `before` is undefined. */
export function changesOf(before: Snapshot | undefined, after: Snapshot): Update[] {
  const known = new Map(before?.generations.map((generation) => [generation.id, generation]));
  const generations = after.generations
    .filter(({ id, status, progress }) => {
      const old = known.get(id);
      return old === undefined || old.status !== status || old.progress !== progress;
    })
    .toReversed()
    .map((data) => ({ event: "generation", data }) as const);
  const { available, reserved } = after.balance;
  const isSameBalance =
    before?.balance.available === available && before.balance.reserved === reserved;
  return isSameBalance ? generations : [...generations, { event: "balance", data: after.balance }];
}
