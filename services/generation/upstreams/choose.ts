/** The order in which routes are tried. Pure. */

export type Choosable = { priority: number; weight: number };

/** Lower priorities first; among equals the first is drawn by weight, then the next. `random` is 0 to 1. */
export function inOrder<T extends Choosable>(routes: readonly T[], random: () => number): T[] {
  const drawn = routes.map((route) => ({ route, draw: random() ** (1 / route.weight) }));
  drawn.sort((a, b) => a.route.priority - b.route.priority || b.draw - a.draw);
  return drawn.map(({ route }) => route);
}
