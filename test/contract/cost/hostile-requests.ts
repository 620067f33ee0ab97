/** Bodies, values, forms and queries of any size that are made to be expensive. */
import { hostileTexts, type HostileText } from "./hostile-texts.ts";
import { sampleOf, type Schema } from "./sample.ts";

const JSON_TEXTS = ["a", " ", "😀", "\u0001", '"', "\\", "a.", "a@", "/", "%"];

/** `count` of them, with a number in each, between commas. */
const list = (length: number, each: (at: number) => string) => {
  const count = Math.floor(length / (each(99_999).length + 1));
  return Array.from({ length: count }, (_, at) => each(at)).join(",");
};

/** Whole bodies that have nothing to do with a schema. */
export function hostileBodies(): HostileText[] {
  return [
    { name: "unknown fields", of: (n) => `{${list(n, (at) => `"a${at}":0`)}}` },
    { name: "numbers as names", of: (n) => `{${list(n, (at) => `"${at * 977}":0`)}}` },
    { name: "fields with escapes", of: (n) => `{${list(n, (at) => `"\\u0061\\"${at}":"\\""`)}}` },
    { name: "a field twice, at the end", of: (n) => `{${list(n, (at) => `"a${at}":0`)},"a0":0}` },
    { name: "a long name", of: (n) => `{"${"a".repeat(n)}":0}` },
    { name: "lists in lists", of: (n) => `${"[".repeat(n / 2)}${"]".repeat(n / 2)}` },
    { name: "objects in objects", of: (n) => `${'{"a":'.repeat(n / 6)}0${"}".repeat(n / 6)}` },
    { name: "a list of nothing", of: (n) => `[${list(n, () => "0")}]` },
    { name: "a list of lists", of: (n) => `[${list(n, () => "[]")}]` },
    { name: "a list of texts", of: (n) => `[${list(n, () => '""')}]` },
    { name: "one text", of: (n) => `"${'\\"'.repeat(n / 2)}"` },
    { name: "one number", of: (n) => "1".repeat(n) },
    { name: "one fraction", of: (n) => `0.${"1".repeat(n)}` },
    { name: "spaces after a text", of: (n) => `["a"${" ".repeat(n)}]` },
    { name: "spaces after many texts", of: (n) => `[${list(n, () => '"a"         ')}]` },
    { name: "a text without an end", of: (n) => `"${'\\"'.repeat(n / 2)}` },
    { name: "quotes", of: (n) => '"'.repeat(n) },
  ];
}

/** Values of a field, as JSON. */
export function hostileValues(schema: Schema): HostileText[] {
  const text = (unit: string): HostileText => ({
    name: `text of ${JSON.stringify(unit)}`,
    of: (n) => JSON.stringify(`${unit.repeat(n / JSON.stringify(unit).length)}\u0001`),
  });
  const example = sampleOf(schema);
  const inner = schema.items ?? schema.additionalProperties;
  const item = JSON.stringify(typeof inner === "object" ? sampleOf(inner) : "a");
  const entries = (name: (at: number) => string, value: string): HostileText => ({
    name: `entries ${name(1)}:${value}`,
    of: (n) => `{${list(n, (at) => `${name(at)}:${value}`)}}`,
  });
  return [
    ...JSON_TEXTS.map(text),
    ...(typeof example === "string"
      ? [
          {
            name: "an example again and again",
            of: (n: number) => JSON.stringify(example.repeat(n / example.length)),
          },
        ]
      : []),
    { name: "items", of: (n) => `[${list(n, () => item)}]` },
    { name: "wrong items", of: (n) => `[${list(n, () => "{}")}]` },
    { name: "different items", of: (n) => `[${list(n, (at) => `"a${at}"`)}]` },
    { name: "a long item", of: (n) => `["${"a".repeat(n)}\\u0001"]` },
    entries((at) => `"a${at}"`, item),
    entries((at) => `"a${at}"`, "0"),
    entries((at) => `"a${at}\\u0000"`, '"\\u0000"'),
    { name: "an entry with a long name", of: (n) => `{"${"a".repeat(n)}\\u0000":""}` },
    { name: "an entry with a long value", of: (n) => `{"a":"${"a".repeat(n)}\\u0000"}` },
    { name: "many digits", of: (n) => "1".repeat(n) },
  ];
}

/** Queries, and the question mark before them. */
export function hostileQueries(names: readonly string[]): HostileText[] {
  const values = hostileTexts().map(({ name, of }) => ({
    name,
    of: (n: number) => encodeURI(of(n).slice(0, n / 3)),
  }));
  return [
    {
      name: "unknown parameters",
      of: (n) => `?${list(n, (at) => `a${at}=`).replaceAll(",", "&")}`,
    },
    { name: "separators", of: (n) => `?${"&".repeat(n)}` },
    { name: "equals signs", of: (n) => `?${"=".repeat(n)}` },
    { name: "escapes", of: (n) => `?${"%41".repeat(n / 3)}` },
    { name: "broken escapes", of: (n) => `?${"%4".repeat(n / 2)}` },
    { name: "brackets", of: (n) => `?a${"[a]".repeat(n / 3)}=1` },
    ...names.map((name) => ({
      name: `${name} again and again`,
      of: (n: number) => `?${`${name}=1&`.repeat(n / (name.length + 3))}`,
    })),
    ...names.flatMap((one) =>
      values.map(({ name, of }) => ({
        name: `${one}=${name}`,
        of: (n: number) => `?${one}=${of(n)}`,
      })),
    ),
  ];
}

/** Forms with a boundary, and what is almost one. */
export function hostileForms(boundary: string): { name: string; of: (length: number) => Buffer }[] {
  const disposition = 'Content-Disposition: form-data; name="file"; filename="f"';
  const around = (begin: string, unit: string, end = `\r\n--${boundary}--\r\n`) => ({
    name: `${JSON.stringify(begin.slice(-20))} and ${JSON.stringify(unit.slice(0, 60))}…`,
    of: (length: number) =>
      Buffer.concat([Buffer.from(begin), Buffer.alloc(length, unit), Buffer.from(end)]),
  });
  const first = `--${boundary}\r\n`;
  const file = `${first}${disposition}\r\n\r\n`;
  return [
    around("", `--${boundary}\r\n\r\n\r\n`),
    around("", `--${boundary}\r\n${disposition}\r\n\r\n\r\n`),
    around("", `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n`),
    around(first, "a: b\r\n"),
    around(first, "a"),
    around(`${first}${disposition}`, '\\"'),
    around(`${first}${disposition}; a="`, '\\"'),
    around(`${first}${disposition}`, ";a=b"),
    around(file, "\r\n--"),
    around(file, `\r\n--${boundary.slice(0, -1)}`),
    around(file, "-"),
    around(file, "\r\n"),
    around(file, `--${boundary}`),
    around("", `\r\n--${boundary.slice(0, -1)}`),
  ];
}
