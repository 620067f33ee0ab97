/** Suggests the known name that somebody probably meant. */
import { closestMatch } from "leven";

/** Longer names are not compared: the comparison takes time for each pair of characters. */
const MAX_CHARACTERS = 100;

/** Less says too little of what was meant. */
const MIN_BEGINNING = 3;

/** The sentence to put into a message, with a space before it; empty where no known name is near or begins so. */
export function didYouMean(name: string, known: readonly string[]): string {
  const meant = meantName(name, known);
  return meant === undefined ? "" : ` Did you mean "${meant}"?`;
}

/** The known name that is near, or else begins so. */
export function meantName(name: string, known: readonly string[]): string | undefined {
  return nearestName(name, known) ?? shortestWith(name, known);
}

/** The known name that differs least but for its case; undefined where none is near enough to be a slip. */
export function nearestName(
  name: string,
  known: readonly string[],
  maxDistance: number = Math.min(name.length - 1, Math.max(2, Math.floor(name.length / 4))),
): string | undefined {
  if (name.length > MAX_CHARACTERS) return undefined;
  const byLowerCase = new Map(known.map((one) => [one.toLowerCase(), one]));
  const nearest = closestMatch(name.toLowerCase(), [...byLowerCase.keys()], { maxDistance });
  return nearest === undefined ? undefined : byLowerCase.get(nearest);
}

function shortestWith(beginning: string, known: readonly string[]): string | undefined {
  if (beginning.length < MIN_BEGINNING || beginning.length > MAX_CHARACTERS) return undefined;
  return known
    .filter((one) => one.toLowerCase().startsWith(beginning.toLowerCase()))
    .toSorted((one, other) => one.length - other.length)[0];
}
