/** Arbitraries of valid messages, built from a type's descriptor and its validation rules. */
import {
  create,
  ScalarType,
  type DescField,
  type DescMessage,
  type Message,
} from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence, TimestampSchema } from "@bufbuild/protobuf/wkt";
import fc, { type Arbitrary } from "fast-check";
import { rangeOf, rulesOf, type Rules } from "./rules.ts";

/** Values that exist on the server, by field name; about half of the messages use one. */
export type KnownValues = Record<string, readonly string[]>;

const MAX_DEPTH = 8;
const MAX_ELEMENTS = 4n;
const MAX_LENGTH = 300n;

/** Messages that satisfy every rule of `desc` and of the messages within it. */
export function messages(desc: DescMessage, known: KnownValues, depth = 0): Arbitrary<Message> {
  if (desc.typeName === TimestampSchema.typeName) return timestamps;
  const members = desc.members.map((member): [string, Arbitrary<unknown>] => {
    if (member.kind === "field") return [member.localName, fieldValues(member, known, depth)];
    const cases = member.fields.map((field) =>
      singleValues(field, rulesOf(field), known, depth).map((value) => ({
        case: field.localName,
        value,
      })),
    );
    return [member.localName, fc.oneof(...cases)];
  });
  return fc.record(Object.fromEntries(members)).map((init) => create(desc, init));
}

/** The years 1 to 9999, in whole milliseconds, because the services round to them. */
const timestamps: Arbitrary<Message> = fc
  .record({
    seconds: fc.bigInt({ min: -62_135_596_800n, max: 253_402_300_799n }),
    millis: fc.nat(999),
  })
  .map(({ seconds, millis }) => create(TimestampSchema, { seconds, nanos: millis * 1_000_000 }));

function fieldValues(field: DescField, known: KnownValues, depth: number): Arbitrary<unknown> {
  const rules = rulesOf(field);
  if (depth > MAX_DEPTH) return fc.constant(undefined);
  if (field.fieldKind === "list") {
    return fc.array(singleValues(field, rules.items ?? {}, known, depth), {
      minLength: Number(rules.minItems ?? 0n),
      maxLength: Number(rules.maxItems ?? MAX_ELEMENTS),
    });
  }
  if (field.fieldKind === "map") {
    const keys = scalarValues(field.mapKey, rules.keys ?? {}).map(String);
    return fc.dictionary(
      keys.filter((key) => key !== "__proto__"),
      singleValues(field, rules.values ?? {}, known, depth),
      {
        minKeys: Number(rules.minPairs ?? 0n),
        maxKeys: Number(rules.maxPairs ?? MAX_ELEMENTS),
      },
    );
  }
  const values = singleValues(field, rules, known, depth);
  const isOptional = field.presence === FeatureSet_FieldPresence.EXPLICIT && !rules.required;
  return isOptional ? fc.option(values, { nil: undefined }) : values;
}

/** The values of a singular field, a list's items or a map's values. */
function singleValues(
  field: DescField,
  rules: Rules,
  known: KnownValues,
  depth: number,
): Arbitrary<unknown> {
  if (field.message) return messages(field.message, known, depth + 1);
  if (field.enum) {
    const numbers = field.enum.values.map(({ number }) => number);
    return fc.constantFrom(...numbers.filter((number) => !rules.notIn?.includes(number)));
  }
  const values = scalarValues(field.scalar ?? ScalarType.STRING, rules);
  const existing = known[field.name] ?? [];
  return existing.length > 0 ? fc.oneof(values, fc.constantFrom(...existing)) : values;
}

/** Any character except NUL, which Postgres cannot store. */
const characters = fc
  .string({ unit: "binary", minLength: 1, maxLength: 1 })
  .filter((character) => character !== "\0");

/** To make one takes up to 50 ms, and the ids of most messages have the same pattern. */
const matchingPatterns = new Map<string, Arbitrary<string>>();

function matching(pattern: string): Arbitrary<string> {
  const made = matchingPatterns.get(pattern) ?? fc.stringMatching(new RegExp(pattern, "u"));
  matchingPatterns.set(pattern, made);
  return made;
}

function scalarValues(scalar: ScalarType, rules: Rules): Arbitrary<unknown> {
  const length = {
    minLength: Number(rules.minLen ?? 0n),
    maxLength: Number(rules.maxLen ?? MAX_LENGTH),
  };
  switch (scalar) {
    case ScalarType.STRING:
      return rules.pattern === undefined
        ? fc.string({ unit: characters, ...length })
        : matching(rules.pattern);
    case ScalarType.BYTES:
      return fc.uint8Array(length);
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.INT32:
      return fc.bigInt(rangeOf(rules, 32)).map(Number);
    case ScalarType.INT64:
      return fc.bigInt(rangeOf(rules, 64));
    case ScalarType.DOUBLE:
      return fc.double({ noNaN: true });
    default:
      throw new Error(`no values for ${ScalarType[scalar]}`);
  }
}
