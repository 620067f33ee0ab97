/** Long texts that are almost what a pattern or a grammar allows: those that make a reader try again. */

/** What grammars repeat, quote, escape and divide by. */
const REPEATED = [
  ..."a|A|0| |\t|-|_|.|/|:|,|;|=|@|%|+|*|\"|'|\\|[|{|(".split("|"),
  ...String.raw`\"|""|a,|a;|a=|a | a|a.|.a|a@|a:|a/|/a|a-|, |; |a="",|a="|0-,|0-0,|-1,|W/|;q=0,|%2|%41`.split(
    "|",
  ),
];

export type HostileText = { name: string; of: (length: number) => string };

type Options = {
  /** How texts may begin, besides with nothing. */
  examples?: readonly string[];
  /** Whose literals are repeated too. */
  pattern?: string | undefined;
  /** How they end, which nearly no pattern allows. */
  end?: string;
};

/** The letters that a pattern begins with: a text without them is refused before it costs anything. */
function leadingText(pattern: string): string {
  const [, text = ""] = /^\^?([\w=:,;/ -]*)(?![?*+{])/.exec(pattern) ?? [];
  return text;
}

/** Texts that begin well, repeat what the pattern names or grammars have, and end badly. */
export function hostileTexts({
  examples = [],
  pattern = "",
  end = "!\u0001",
}: Options = {}): HostileText[] {
  const begins = ["", leadingText(pattern), ...(pattern.includes("=") ? ["a="] : []), ...examples];
  const ends = [end, ...(pattern.includes('"') ? ['"\\'] : [])];
  const plain = pattern
    .replaceAll(/\\\w/g, " ")
    .replaceAll(/\\(\W)/g, "$1")
    .replaceAll(/[?*+]/g, "");
  const literals = plain.match(/[A-Za-z0-9_,;:@=./-]{2,}/g) ?? [];
  const repeated = [...new Set([...REPEATED, ...literals, ...examples])].filter(
    (one) => one !== "",
  );
  return [...new Set(begins)].flatMap((begin) =>
    ends.flatMap((last) =>
      repeated.map((unit) => ({
        name: JSON.stringify(`${begin.slice(0, 20)}${unit.slice(0, 20)}…${last}`),
        of: (length: number) =>
          `${begin}${unit.repeat(Math.max(1, (length - begin.length) / unit.length))}${last}`,
      })),
    ),
  );
}
