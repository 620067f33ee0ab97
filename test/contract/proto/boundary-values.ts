/** For each rule on a value, the values just inside and just outside its limits. */
import { ScalarType, type DescField } from "@bufbuild/protobuf";
import fc from "fast-check";
import { scalarValues } from "./messages.ts";
import { rangeOf, type Rules } from "./rules.ts";

export type BoundaryValue = { name: string; value: unknown; isInside: boolean };

/** One code point of two UTF-16 units, because lengths count code points. */
const WIDE_CHARACTER = "\u{1f5ff}";
const UNDEFINED_NUMBER = 9_999;

/** The boundary values of a singular field, a list's item or a map's value; with `scalar`, of a map's key. */
export function boundaryValues(
  field: DescField,
  rules: Rules,
  scalar = field.scalar,
): BoundaryValue[] {
  if (field.enum && scalar === undefined) {
    return enumBoundaries(
      field.enum.values.map(({ number }) => number),
      rules,
    );
  }
  switch (scalar) {
    case ScalarType.INT32:
    case ScalarType.INT64:
      return numberBoundaries(rules, scalar === ScalarType.INT32 ? 32 : 64);
    case ScalarType.STRING:
      return [
        ...lengthBoundaries(rules, (length) => WIDE_CHARACTER.repeat(length)),
        ...textBoundaries(field, rules),
      ];
    case ScalarType.BYTES:
      return lengthBoundaries(rules, (length) => new Uint8Array(length));
    default:
      return [];
  }
}

function numberBoundaries(rules: Rules, bits: 32 | 64): BoundaryValue[] {
  const { min, max } = rangeOf(rules, bits);
  const typed = (value: bigint) => (bits === 32 ? Number(value) : value);
  const at = (value: bigint, isInside: boolean): BoundaryValue => ({
    name: String(value),
    value: typed(value),
    isInside,
  });
  const hasMin = rules.gt !== undefined || rules.gte !== undefined;
  const hasMax = rules.lt !== undefined || rules.lte !== undefined;
  return [
    ...(hasMin ? [at(min - 1n, false)] : []),
    at(min, true),
    at(max, true),
    ...(hasMax ? [at(max + 1n, false)] : []),
  ];
}

function lengthBoundaries(rules: Rules, make: (length: number) => unknown): BoundaryValue[] {
  if (rules.pattern !== undefined) return [];
  const at = (length: number, isInside: boolean): BoundaryValue => ({
    name: `a length of ${length}`,
    value: make(length),
    isInside,
  });
  const [min, max] = [Number(rules.minLen ?? 0n), Number(rules.maxLen ?? 0n)];
  return [
    ...(min > 0 ? [at(min - 1, false)] : []),
    at(min, true),
    ...(rules.maxLen === undefined ? [] : [at(max, true), at(max + 1, false)]),
  ];
}

/** Fields that are only looked up: a NUL finds nothing there. Other texts are stored, and Postgres stores no NUL. */
const ID_NAME = /^(id|after)$|_id$/;

function textBoundaries(field: DescField, { pattern, ...rules }: Rules): BoundaryValue[] {
  const isInside = pattern === undefined && ID_NAME.test(field.name);
  const nul: BoundaryValue = { name: "a NUL", value: "a\0b", isInside };
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

function enumBoundaries(numbers: readonly number[], rules: Rules): BoundaryValue[] {
  const at = (value: number, isInside: boolean): BoundaryValue => ({
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
