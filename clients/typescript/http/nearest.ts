/** Finds the word that was meant by one that is not known. */

/** The share of a word's letters that may be wrong. */
const TOLERANCE = 0.4;
const MIN_PART = 3;

/** The word of `words` that is nearest to `text` in any spelling of its capitals; undefined where none is near. */
function nearest(text: string, words: readonly string[]): string | undefined {
  const wanted = plain(text);
  const distances = words.map((word) => ({ word, distance: distanceOf(wanted, plain(word)) }));
  const [best] = distances.toSorted((a, b) => a.distance - b.distance);
  const letters = Math.max(wanted.length, best?.word.length ?? 0);
  return best && best.distance <= Math.floor(letters * TOLERANCE) ? best.word : undefined;
}

/** ` Did you mean …?` as the end of a sentence; empty where no word is near. */
export function didYouMean(text: string, words: readonly string[]): string {
  const word = nearest(text, words);
  return word === undefined ? "" : ` Did you mean ${word}?`;
}

/** A part of a word, such as `timeout` of `timeoutMs`, is as near as one wrong letter. */
function distanceOf(wanted: string, word: string): number {
  const isPart = wanted.length >= MIN_PART && word.includes(wanted);
  const distance = editDistance(wanted, word);
  return isPart ? Math.min(1, distance) : distance;
}

/** How many letters have to be put in, left out or changed (Levenshtein); packages that bundle the client need no other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++) {
      const changed = (row[j] ?? 0) + (from[i] === to[j] ? 0 : 1);
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** The letters, so that `idempotency_key` is `idempotencyKey`. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[-_\s]/g, "");
}
