/** The state of an account that is told live, and what differs between two of them. */
import type { components } from "#gen/openapi/dashboard.ts";
import type { components as publicComponents } from "#gen/openapi/media.ts";

type GenerationUpdate = components["schemas"]["GenerationUpdate"];
type Balance = publicComponents["schemas"]["Balance"];

export type Snapshot = {
  /** Recent ones, newest first. */
  generations: GenerationUpdate[];
  balance: Balance;
  /** Whether one of them has not ended. */
  isBusy: boolean;
};

export type Update =
  | { event: "generation"; data: GenerationUpdate }
  | { event: "balance"; data: Balance };

/** Everything where nothing is known yet; oldest generations first. */
export function changesOf(before: Snapshot | undefined, after: Snapshot): Update[] {
  const known = new Map(before?.generations.map((one) => [one.id, one]));
  const generations = after.generations
    .filter((one) => {
      const old = known.get(one.id);
      return old === undefined || old.status !== one.status || old.progress !== one.progress;
    })
    .toReversed()
    .map((data) => ({ event: "generation", data }) as const);
  const { available, reserved } = after.balance;
  const isSameBalance =
    before?.balance.available === available && before.balance.reserved === reserved;
  return isSameBalance ? generations : [...generations, { event: "balance", data: after.balance }];
}
