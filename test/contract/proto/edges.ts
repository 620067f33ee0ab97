/** For each rule on a value, the values just inside its edge and just outside. */
import { ScalarType } from "@bufbuild/protobuf";
import type { DescField } from "@bufbuild/protobuf";
import fc from "fast-check";
import { scalarValues } from "./messages.ts";
import { rangeOf } from "./rules.ts";
import type { Rules } from "./rules.ts";

export type Edge = { name: string; value: unknown; isInside: boolean };

/** One code point, and two UTF-16 units: lengths are counted in code points. */
const WIDE = "\u{1f5ff}";
const UNDEFINED_NUMBER = 9_999;

/** The edges of a single value: of a singular field, a list's item, a map's value; by `scalar` also of a map's key. */
export function valueEdges(field: DescField, rules: Rules, scalar = field.scalar): Edge[] {
  if (field.enum && scalar === undefined) {
    return enumEdges(
      field.enum.values.map(({ number }) => number),
      rules,
    );
  }
  switch (scalar) {
    case ScalarType.INT32:
    case ScalarType.INT64:
      return numberEdges(rules, scalar === ScalarType.INT32 ? 32 : 64);
    case ScalarType.STRING:
      return [...lengthEdges(rules, (length) => WIDE.repeat(length)), ...textEdges(field, rules)];
    case ScalarType.BYTES:
      return lengthEdges(rules, (length) => new Uint8Array(length));
    default:
      return [];
  }
}

function numberEdges(rules: Rules, bits: 32 | 64): Edge[] {
  const { min, max } = rangeOf(rules, bits);
  const typed = (value: bigint) => (bits === 32 ? Number(value) : value);
  const at = (value: bigint, isInside: boolean): Edge => ({
    name: String(value),
    value: typed(value),
    isInside,
  });
  const hasLeast = rules.gt !== undefined || rules.gte !== undefined;
  const hasMost = rules.lt !== undefined || rules.lte !== undefined;
  return [
    ...(hasLeast ? [at(min - 1n, false)] : []),
    at(min, true),
    at(max, true),
    ...(hasMost ? [at(max + 1n, false)] : []),
  ];
}

function lengthEdges(rules: Rules, made: (length: number) => unknown): Edge[] {
  if (rules.pattern !== undefined) return [];
  const at = (length: number, isInside: boolean): Edge => ({
    name: `a length of ${length}`,
    value: made(length),
    isInside,
  });
  const [least, most] = [Number(rules.minLen ?? 0n), Number(rules.maxLen ?? 0n)];
  return [
    ...(least > 0 ? [at(least - 1, false)] : []),
    at(least, true),
    ...(rules.maxLen === undefined ? [] : [at(most, true), at(most + 1, false)]),
  ];
}

/** An id with NUL is looked for in vain; any other text would be stored, which it cannot be. */
const ID_NAME = /^(id|after)$|_id$/;

function textEdges(field: DescField, { pattern, ...rules }: Rules): Edge[] {
  const isInside = pattern === undefined && ID_NAME.test(field.name);
  const nul: Edge = { name: "a NUL", value: "a\0b", isInside };
  if (pattern === undefined) return [nul];
  const rule = new RegExp(pattern, "u");
  const [good] = fc.sample(scalarValues(ScalarType.STRING, { ...rules, pattern }), {
    seed: 7,
    numRuns: 1,
  });
  const text = String(good);
  const near = ["", `${text}0`, text.slice(0, -1), `x${text}`, text.toUpperCase(), `${text}\n`];
  const wrong = [...near, `${text.slice(0, -1)}!`, `${text.slice(0, -1)}ł`].filter(
    (one) => !rule.test(one),
  );
  return [
    nul,
    { name: JSON.stringify(text), value: text, isInside: true },
    ...wrong.map((one) => ({ name: JSON.stringify(one), value: one, isInside: false })),
  ];
}

function enumEdges(numbers: readonly number[], rules: Rules): Edge[] {
  const at = (value: number, isInside: boolean): Edge => ({
    name: `the number ${value}`,
    value,
    isInside,
  });
  const refused = rules.notIn ?? [];
  return [
    ...(rules.definedOnly ? [at(UNDEFINED_NUMBER, false), at(-1, false)] : []),
    ...refused.map((number) => at(number, false)),
    ...numbers.filter((number) => !refused.includes(number)).map((number) => at(number, true)),
  ];
}
