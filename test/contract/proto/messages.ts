/** Valid messages of any type, made from its descriptor and the rules in its proto file. */
import { clone, create, ScalarType } from "@bufbuild/protobuf";
import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence, TimestampSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import type { Arbitrary } from "fast-check";
import { rangeOf, rulesOf } from "./rules.ts";
import type { Rules } from "./rules.ts";

/** Seconds of the years 1 to 9999, which are all that a Timestamp may hold. */
export const TIMESTAMP_SECONDS = { min: -62_135_596_800n, max: 253_402_300_799n };

/** Values that exist on the server, by field name; half of the messages carry one. */
export type Known = Record<string, readonly string[]>;

/** `isFull` sets every field, and gives every list and map one element. */
type Making = { known?: Known; isFull?: boolean };

const MAX_DEPTH = 8;
const MOST_ELEMENTS = 4n;
const LONGEST = 300n;
/** The one key of every full map: it reads like the end of a path. */
export const HARD_KEY = 'a: "b"]';

const fullMessages = new Map<string, Message>();

/** A copy of the same message at every call, with every field set. */
export function fullMessage(desc: DescMessage): Message {
  const made =
    fullMessages.get(desc.typeName) ??
    fc.sample(messages(desc, { isFull: true }), { seed: 7, numRuns: 1 })[0];
  if (!made) throw new Error(`no sample of ${desc.typeName}`);
  fullMessages.set(desc.typeName, made);
  return clone(desc, made);
}

/** Messages that keep every rule of `desc` and of the messages within it. */
export function messages(desc: DescMessage, making: Making = {}, depth = 0): Arbitrary<Message> {
  if (desc.typeName === TimestampSchema.typeName) return timestamps;
  const members = desc.members.map((member): [string, Arbitrary<unknown>] => {
    if (member.kind === "field") return [member.localName, fieldValues(member, making, depth)];
    const cases = member.fields.map((field) =>
      singleValues(field, rulesOf(field), making, depth).map((value) => ({
        case: field.localName,
        value,
      })),
    );
    return [member.localName, fc.oneof(...cases)];
  });
  return fc.record(Object.fromEntries(members)).map((init) => create(desc, init));
}

/** Whole milliseconds: more is rounded away. */
const timestamps: Arbitrary<Message> = fc
  .record({ seconds: fc.bigInt(TIMESTAMP_SECONDS), millis: fc.nat(999) })
  .map(({ seconds, millis }) => create(TimestampSchema, { seconds, nanos: millis * 1_000_000 }));

function fieldValues(field: DescField, making: Making, depth: number): Arbitrary<unknown> {
  const rules = rulesOf(field);
  const { isFull = false } = making;
  if (depth > MAX_DEPTH) return fc.constant(undefined);
  if (field.fieldKind === "list") {
    return fc.array(singleValues(field, rules.items ?? {}, making, depth), {
      minLength: Math.max(Number(rules.minItems ?? 0n), Number(isFull)),
      maxLength: isFull ? 1 : Number(rules.maxItems ?? MOST_ELEMENTS),
    });
  }
  if (field.fieldKind === "map") {
    const keys = scalarValues(field.mapKey, rules.keys ?? {}).map(String);
    return fc.dictionary(
      isFull ? fc.constant(HARD_KEY) : keys.filter((key) => key !== "__proto__"),
      singleValues(field, rules.values ?? {}, making, depth),
      {
        minKeys: Math.max(Number(rules.minPairs ?? 0n), Number(isFull)),
        maxKeys: isFull ? 1 : Number(rules.maxPairs ?? MOST_ELEMENTS),
      },
    );
  }
  const values = singleValues(field, rules, making, depth);
  const isOptional = field.presence === FeatureSet_FieldPresence.EXPLICIT && !rules.required;
  return isOptional && !isFull ? fc.option(values, { nil: undefined }) : values;
}

/** A singular field's values, or those of a list's items or a map's values. */
function singleValues(
  field: DescField,
  rules: Rules,
  making: Making,
  depth: number,
): Arbitrary<unknown> {
  if (field.message) return messages(field.message, making, depth + 1);
  if (field.enum) {
    const numbers = field.enum.values.map(({ number }) => number);
    return fc.constantFrom(...numbers.filter((number) => !rules.notIn?.includes(number)));
  }
  const values = scalarValues(field.scalar ?? ScalarType.STRING, rules);
  const known = making.known?.[field.name] ?? [];
  return known.length > 0 ? fc.oneof(values, fc.constantFrom(...known)) : values;
}

/** Any character but NUL, which no stored text can hold. */
const characters = fc
  .string({ unit: "binary", minLength: 1, maxLength: 1 })
  .filter((character) => character !== "\0");

export function scalarValues(scalar: ScalarType, rules: Rules): Arbitrary<unknown> {
  const length = {
    minLength: Number(rules.minLen ?? 0n),
    maxLength: Number(rules.maxLen ?? LONGEST),
  };
  switch (scalar) {
    case ScalarType.STRING:
      return rules.pattern === undefined
        ? fc.string({ unit: characters, ...length })
        : fc.stringMatching(new RegExp(rules.pattern, "u"));
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
      throw new Error(`there are no values yet for ${ScalarType[scalar]}`);
  }
}
