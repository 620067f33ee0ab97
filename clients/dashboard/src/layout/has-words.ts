/** Whether `text` has all of the words, each at the beginning of one of its own. */
export function hasWords(text: string, words: string): boolean {
  const own = text.toLowerCase().split(/[^\p{L}\p{N}_]+/u);
  const asked = words.toLowerCase().split(/\s+/).filter(Boolean);
  return asked.length > 0 && asked.every((word) => own.some((one) => one.startsWith(word)));
}
