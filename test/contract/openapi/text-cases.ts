/** Boundary values of a string schema: its enum, lengths, pattern and format. */
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import fc from "fast-check";
import { REFUSED_HOSTS } from "../../support/refused-hosts.ts";
import type { Schema } from "./document.ts";

/** `violates` is the one keyword that the text violates; absent where the text is valid. */
export type TextCase = { what: string; text: string; violates?: string };

const SEED = 1;
const PUBLIC_URL = /^https:\/\/([a-z0-9-]+\.)+[a-z]{2,}(:(443|[1-9]\d{3,4}))?(\/[!-~]*)?$/;

const PICTURE_URL = /^data:image\/(png|jpeg|webp);base64,/;

const ajv = new Ajv2020({ strict: false, validateSchema: false });
formats.default(ajv);
ajv.addFormat("public-https-url", PUBLIC_URL);
ajv.addFormat("picture-url", (url) => PICTURE_URL.test(url) || PUBLIC_URL.test(url));

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
  "picture-url": {
    good: ["https://images.example.com/garden.jpg", "data:image/png;base64,iVBORw0KGgo="],
    bad: [
      "",
      "garden.jpg",
      "http://example.com/a.png",
      "https://localhost/a.png",
      `https://example.com/${"a".repeat(2_048)}`,
      "data:image/svg+xml;base64,PHN2Zy8+",
      "data:image/png,raw",
      "data:text/html,a",
    ],
  },
  binary: { good: ["a picture"], bad: [] },
  date: {
    good: ["2026-11-17"],
    bad: ["", "yesterday", "2026-11", "2026-11-31", "2026-11-17T00:00:00Z", "17.11.2026"],
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

/** Some texts that are valid by the schema; the same in every run. */
export function validTexts(schema: Schema): string[] {
  const { enum: values, const: only, format, examples } = schema;
  const pool = [
    ...(values ?? []),
    ...(only === undefined ? [] : [only]),
    ...(examples ?? []),
    ...(FORMAT_TEXTS[String(format)]?.good ?? []),
    ...matchingTexts(schema),
    "cat",
  ];
  const valid = ajv.compile(schema);
  const texts = pool.filter((text): text is string => typeof text === "string" && valid(text));
  return [...new Set(texts)];
}

function matchingTexts({ pattern }: Schema): string[] {
  if (pattern === undefined) return [];
  try {
    const texts = fc.stringMatching(new RegExp(String(pattern), "u"));
    return fc.sample(texts, { seed: SEED, numRuns: 8 });
  } catch {
    // The generator does not support every pattern; the examples are used then.
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
        violates: "enum",
      })),
  ];
}

function lengthCases(schema: Schema): TextCase[] {
  const { minLength, maxLength, ...rest } = schema;
  const fits = ajv.compile(rest);
  const of = (length: number) =>
    ["a".repeat(length), "😀".repeat(length), padUrl("https://a.example/", length)]
      .concat(matchingTexts(rest), (rest["examples"] as string[] | undefined) ?? [])
      .filter((text) => Array.from(text).length === length && fits(text));
  const at = (length: number, violates?: string): TextCase[] =>
    [...new Set(length < 0 ? [] : of(length))].map((text) => ({
      what: `${length} characters like ${JSON.stringify(Array.from(text).slice(0, 9).join(""))}`,
      text,
      ...(violates === undefined ? {} : { violates }),
    }));
  const within = (length: number) =>
    length >= Number(minLength ?? 0) && length <= Number(maxLength ?? Infinity);
  const cases: TextCase[] = [];
  if (minLength !== undefined) {
    const min = Number(minLength);
    cases.push(...[min, min + 1].filter(within).flatMap((length) => at(length)));
    cases.push(...at(min - 1, "minLength"));
  }
  if (maxLength !== undefined) {
    const max = Number(maxLength);
    cases.push(...[max, max - 1].filter(within).flatMap((length) => at(length)));
    cases.push(...at(max + 1, "maxLength"));
  }
  return cases;
}

function padUrl(start: string, length: number): string {
  return length < start.length ? "" : start.padEnd(length, "x");
}

/** Texts that match the pattern, and the same with a character inserted or removed. */
function patternCases(schema: Schema): TextCase[] {
  const { pattern, ...rest } = schema;
  if (pattern === undefined) return [];
  const matches = new RegExp(String(pattern), "u");
  const others = ajv.compile(rest);
  const texts = validTexts(schema);
  const insertions = ["\0", "\ud800", "\udfff", " ", "\n", "é", "😀", "-", "0", "x", "__proto__"];
  const changed = texts.slice(0, 2).flatMap((text) => {
    const middle = Math.floor(text.length / 2);
    return [
      text.slice(1),
      text.slice(0, -1),
      ...insertions.flatMap((one) => [
        one + text,
        text + one,
        text.slice(0, middle) + one + text.slice(middle),
        one,
      ]),
    ];
  });
  const candidates = [...new Set(changed)].filter((text) => others(text));
  return [
    ...texts.slice(0, 6).map((text) => ({ what: `${abbreviated(text)}, which matches`, text })),
    ...candidates
      .filter((text) => matches.test(text))
      .slice(0, 8)
      .map((text) => ({ what: `${abbreviated(text)}, which just matches`, text })),
    ...candidates
      .filter((text) => !matches.test(text))
      .slice(0, 16)
      .map((text) => ({
        what: `${abbreviated(text)}, which just does not match`,
        text,
        violates: "pattern",
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
      .map((text) => ({
        what: `${abbreviated(text)}, not a ${String(format)}`,
        text,
        violates: "format",
      })),
  ];
}

function abbreviated(text: string): string {
  const short = Array.from(text).slice(0, 40).join("");
  return JSON.stringify(short) + (short === text ? "" : "…");
}
