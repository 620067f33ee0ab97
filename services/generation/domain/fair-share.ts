/** Divides slots in turns: one to everyone who still wants one, then another round. */

/** How many of `slots` each one gets, at most as many as it wants; earlier ones come first in each round. */
export function fairShare(wanted: readonly number[], slots: number): number[] {
  const given = wanted.map(() => 0);
  let left = slots;
  while (left > 0) {
    const unsatisfied = wanted.flatMap((want, index) =>
      want > (given[index] ?? 0) ? [index] : [],
    );
    if (unsatisfied.length === 0) return given;
    const round = Math.max(1, Math.floor(left / unsatisfied.length));
    for (const index of unsatisfied) {
      const take = Math.min(round, left, (wanted[index] ?? 0) - (given[index] ?? 0));
      given[index] = (given[index] ?? 0) + take;
      left -= take;
    }
  }
  return given;
}
