/** Reads Prometheus' text format. */

export type Labels = Readonly<Record<string, string>>;
export type Sample = { name: string; labels: Labels; value: number };

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /\b(\w+)="((?:[^"\\]|\\.)*)"/g;

/** The samples of an answer of /metrics. */
export function samplesOf(text: string): Sample[] {
  return text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = LINE.exec(line) ?? [];
    if (name === undefined) return [];
    const own = [...labels.matchAll(LABEL)].map(([, key, content]) => [key, content] as const);
    return [{ name, labels: Object.fromEntries(own), value: Number(value) }];
  });
}
