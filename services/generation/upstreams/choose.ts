/** Chooses, among the enabled upstreams of a model, those that can take a task now, and puts the best first. */

export type Choosable = { priority: number; weight: number };

/** What keeps an upstream from taking tasks: operators must act on it, or its last submits failed. */
export type Obstacles<T> = {
  isSuspended: (upstream: T) => boolean;
  isCircuitClosed: (upstream: T) => boolean;
};

/** Those that have no obstacle, in the order in which a task tries them. `random` returns 0 to 1. */
export function chooseUpstreams<T extends Choosable>(
  enabled: readonly T[],
  { isSuspended, isCircuitClosed }: Obstacles<T>,
  random: () => number,
): T[] {
  const ready = enabled.filter((upstream) => !isSuspended(upstream) && isCircuitClosed(upstream));
  return inOrder(ready, random);
}

/** By priority, lowest first; upstreams of equal priority are drawn at random by weight. */
function inOrder<T extends Choosable>(upstreams: readonly T[], random: () => number): T[] {
  const drawn = upstreams.map((upstream) => ({
    upstream,
    draw: random() ** (1 / upstream.weight),
  }));
  drawn.sort((a, b) => a.upstream.priority - b.upstream.priority || b.draw - a.draw);
  return drawn.map(({ upstream }) => upstream);
}
