/** Suggests the known name that somebody probably meant. */
import { closestMatch } from "leven";

/** Longer names are not compared: the comparison takes time for each pair of characters. */
const MAX_CHARACTERS = 100;

/** The sentence to put into a message, with a space before it; empty where no known name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  if (name.length > MAX_CHARACTERS) return "";
  const maxDistance = Math.max(2, Math.floor(name.length / 4));
  const nearest = closestMatch(name, [...known], { maxDistance });
  return nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
}
