/** Deals places out in turns: one to everyone who still wants one, then another. */

/** How many of `places` each gets that may take `wanted` of them; who stands first is first served. */
export function fairShare(wanted: readonly number[], places: number): number[] {
  const given = wanted.map(() => 0);
  for (let left = places; left > 0;) {
    const hungry = wanted.flatMap((want, index) => (want > (given[index] ?? 0) ? [index] : []));
    if (hungry.length === 0) return given;
    const turn = Math.max(1, Math.floor(left / hungry.length));
    for (const index of hungry) {
      const take = Math.min(turn, left, (wanted[index] ?? 0) - (given[index] ?? 0));
      given[index] = (given[index] ?? 0) + take;
      left -= take;
    }
  }
  return given;
}
