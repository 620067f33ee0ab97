/** Decides the order in which upstreams are tried. */

export type Choosable = { priority: number; weight: number };

/** Orders by priority, lowest first; upstreams of equal priority are drawn at random by weight. `random` returns 0 to 1. */
export function inOrder<T extends Choosable>(upstreams: readonly T[], random: () => number): T[] {
  const drawn = upstreams.map((upstream) => ({
    upstream,
    draw: random() ** (1 / upstream.weight),
  }));
  drawn.sort((a, b) => a.upstream.priority - b.upstream.priority || b.draw - a.draw);
  return drawn.map(({ upstream }) => upstream);
}
