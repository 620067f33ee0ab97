/** Texts at the edges of a string schema: its lengths, its pattern, its format. */
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import fc from "fast-check";
import { REFUSED_HOSTS } from "../../support/refused-hosts.ts";
import type { Schema } from "./document.ts";

/** `breaks` is the one keyword that the text breaks; none where it keeps to the schema. */
export type TextCase = { what: string; text: string; breaks?: string };

const SEED = 1;
const GOOD_URL = /^https:\/\/([a-z0-9-]+\.)+[a-z]{2,}(:(443|[1-9]\d{3,4}))?(\/[!-~]*)?$/;

const ajv = new Ajv2020({ strict: false });
formats.default(ajv);
ajv.addFormat("public-https-url", GOOD_URL);

const FORMAT_TEXTS: Readonly<Record<string, { good: string[]; bad: string[] }>> = {
  "public-https-url": {
    good: [
      "https://images.example.com/garden.jpg",
      "https://example.com",
      "https://example.com:443/a",
      "https://example.com:1024/a",
      "https://example.com:65535/a?b=c&d=%20",
    ],
    bad: [
      "",
      "example.com",
      "/a.png",
      "http://example.com/a.png",
      "ftp://example.com/a.png",
      "https://",
      "https://user@example.com/",
      "https://user:word@example.com/",
      "https://example.com:80/",
      "https://example.com:1023/",
      "https://example.com:0/",
      "https://example.com:65536/",
      "https://exa mple.com/",
      ...REFUSED_HOSTS.map((host) => `https://${host}/a.png`),
    ],
  },
  "date-time": {
    good: ["2026-11-17T00:00:00Z", "2026-11-17T12:02:06.481Z", "2026-11-17T01:00:00+01:00"],
    bad: [
      "",
      "yesterday",
      "2026-11-17",
      "2026-11-17T00:00:00",
      "2026-13-17T00:00:00Z",
      "1794916926",
    ],
  },
};

/** The cases of a schema whose type is string. */
export function textCases(schema: Schema): TextCase[] {
  return [
    ...enumCases(schema),
    ...lengthCases(schema),
    ...patternCases(schema),
    ...formatCases(schema),
  ];
}

/** Some texts that keep to the schema; the same at every run. */
export function validTexts(schema: Schema): string[] {
  const { enum: values, const: only, format, examples } = schema;
  const pool = [
    ...(values ?? []),
    ...(only === undefined ? [] : [only]),
    ...(examples ?? []),
    ...(FORMAT_TEXTS[String(format)]?.good ?? []),
    ...matching(schema),
    "cat",
  ];
  const valid = ajv.compile(schema);
  const texts = pool.filter((text): text is string => typeof text === "string" && valid(text));
  return [...new Set(texts)];
}

function matching({ pattern }: Schema): string[] {
  if (pattern === undefined) return [];
  try {
    const texts = fc.stringMatching(new RegExp(String(pattern), "u"));
    return fc.sample(texts, { seed: SEED, numRuns: 8 });
  } catch {
    // Some patterns are more than the generator knows; the examples then stand alone.
    return [];
  }
}

function enumCases(schema: Schema): TextCase[] {
  const values = (schema["enum"] ?? []) as string[];
  if (values.length === 0) return [];
  const others = ["", "nope", `${values[0]}x`, String(values[0]).toUpperCase(), ` ${values[0]}`];
  return [
    ...values
      .filter((value) => typeof value === "string")
      .map((value) => ({ what: `the listed ${value}`, text: value })),
    ...others
      .filter((text) => !values.includes(text))
      .map((text) => ({
        what: `${JSON.stringify(text)}, which is not listed`,
        text,
        breaks: "enum",
      })),
  ];
}

function lengthCases(schema: Schema): TextCase[] {
  const { minLength, maxLength, ...rest } = schema;
  const fits = ajv.compile(rest);
  const of = (length: number) =>
    ["a".repeat(length), "😀".repeat(length), padded("https://a.example/", length)]
      .concat(matching(rest), (rest["examples"] as string[] | undefined) ?? [])
      .filter((text) => Array.from(text).length === length && fits(text));
  const at = (length: number, breaks?: string): TextCase[] =>
    [...new Set(length < 0 ? [] : of(length))].map((text) => ({
      what: `${length} characters like ${JSON.stringify(Array.from(text).slice(0, 9).join(""))}`,
      text,
      ...(breaks === undefined ? {} : { breaks }),
    }));
  const within = (length: number) =>
    length >= Number(minLength ?? 0) && length <= Number(maxLength ?? Infinity);
  const cases: TextCase[] = [];
  if (minLength !== undefined) {
    const least = Number(minLength);
    cases.push(...[least, least + 1].filter(within).flatMap((length) => at(length)));
    cases.push(...at(least - 1, "minLength"));
  }
  if (maxLength !== undefined) {
    const most = Number(maxLength);
    cases.push(...[most, most - 1].filter(within).flatMap((length) => at(length)));
    cases.push(...at(most + 1, "maxLength"));
  }
  return cases;
}

function padded(start: string, length: number): string {
  return length < start.length ? "" : start.padEnd(length, "x");
}

/** One character put in, changed or left out at both ends and in the middle of texts that match. */
function patternCases(schema: Schema): TextCase[] {
  const { pattern, ...rest } = schema;
  if (pattern === undefined) return [];
  const matches = new RegExp(String(pattern), "u");
  const others = ajv.compile(rest);
  const texts = validTexts(schema);
  const strange = ["\0", "\ud800", "\udfff", " ", "\n", "é", "😀", "-", "0", "x", "__proto__"];
  const changed = texts.slice(0, 2).flatMap((text) => {
    const middle = Math.floor(text.length / 2);
    return [
      text.slice(1),
      text.slice(0, -1),
      ...strange.flatMap((one) => [
        one + text,
        text + one,
        text.slice(0, middle) + one + text.slice(middle),
        one,
      ]),
    ];
  });
  const candidates = [...new Set(changed)].filter((text) => others(text));
  return [
    ...texts.slice(0, 6).map((text) => ({ what: `${shown(text)}, which matches`, text })),
    ...candidates
      .filter((text) => matches.test(text))
      .slice(0, 8)
      .map((text) => ({ what: `${shown(text)}, which just matches`, text })),
    ...candidates
      .filter((text) => !matches.test(text))
      .slice(0, 16)
      .map((text) => ({
        what: `${shown(text)}, which just does not match`,
        text,
        breaks: "pattern",
      })),
  ];
}

function formatCases(schema: Schema): TextCase[] {
  const { format, ...rest } = schema;
  const texts = FORMAT_TEXTS[String(format)];
  if (!texts) return [];
  const others = ajv.compile(rest);
  return [
    ...texts.good.map((text) => ({ what: `the ${String(format)} ${text}`, text })),
    ...texts.bad
      .filter((text) => others(text))
      .map((text) => ({ what: `${shown(text)}, not a ${String(format)}`, text, breaks: "format" })),
  ];
}

function shown(text: string): string {
  const short = Array.from(text).slice(0, 40).join("");
  return JSON.stringify(short) + (short === text ? "" : "…");
}
