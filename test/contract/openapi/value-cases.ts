/** JSON boundary values of a schema, each with the error expected for it if it is invalid. */
import { deref, textOf, type Json, type Schema } from "./document.ts";
import { codeOf, assertKeywordsKnown } from "./keywords.ts";
import { textCases, validTexts } from "./text-cases.ts";

/** `param` is the path of the invalid part within the value: `[0]`, `.name`, or empty for the value itself. */
export type ValueCase = {
  what: string;
  /** Undefined where the value is absent. */
  value: Json | undefined;
  fault?: { code: string; param: string };
};

const SAMPLES: readonly [type: string, value: Json][] = [
  ["null", null],
  ["boolean", true],
  ["integer", 7],
  ["number", 1.5],
  ["string", "7"],
  ["array", []],
  ["object", {}],
];

const NESTING_DEPTH = 40;

export function valueCases(node: Schema): ValueCase[] {
  const schema = deref(node);
  assertKeywordsKnown(schema);
  const types = typesOf(schema);
  return [
    ...typeCases(schema, types),
    ...(types.includes("string") ? stringCases(schema) : []),
    ...(types.includes("integer") || types.includes("number") ? numberCases(schema, types) : []),
    ...(types.includes("boolean") ? booleanCases(schema) : []),
    ...(types.includes("array") ? arrayCases(schema) : []),
    ...(types.includes("object") ? objectCases(schema) : []),
  ];
}

/** The boundary values of each field, in a body that is otherwise `base`, and those of the body itself. */
export function bodyCases(schema: Schema, base: { [name: string]: Json }): ValueCase[] {
  return [...fieldCases(schema, base, ""), ...typeCases(schema, ["object"])];
}

/** Those of the fields of an object that is otherwise `base`; `dot` is between the object's path and a field's name. */
function fieldCases(schema: Schema, base: { [name: string]: Json }, dot: "" | "."): ValueCase[] {
  assertKeywordsKnown(schema);
  const properties = (schema["properties"] ?? {}) as Record<string, Schema>;
  const required = new Set((schema["required"] ?? []) as string[]);
  const absent = (name: string) => {
    const others = Object.keys(base).filter((one) => one !== name);
    if (others.length < Number(schema["minProperties"] ?? 0)) return [];
    return [absentCase(name, base, required.has(name) ? codeOf(schema, "required") : undefined)];
  };
  const fields = Object.entries(properties).flatMap(([name, property]) => [
    ...absent(name),
    ...valueCases(property).map((one) =>
      prefixCase(one, name, { ...base, [name]: one.value as Json }),
    ),
  ]);
  const within = fields.map(({ fault, ...one }) => ({
    ...one,
    ...(fault && { fault: { ...fault, param: `${dot}${fault.param}` } }),
  }));
  return [...within, ...unknownCases(schema, base, dot)];
}

function typesOf(schema: Schema): string[] {
  return [schema["type"] ?? []].flat() as string[];
}

function acceptedCase(value: Json): ValueCase {
  return { what: JSON.stringify(value), value };
}

function refusedCase(what: string, value: Json, schema: Schema, keyword: string): ValueCase {
  return { what, value, fault: { code: codeOf(schema, keyword), param: "" } };
}

function prefixCase(one: ValueCase, name: string, value: Json): ValueCase {
  const fault = one.fault && { ...one.fault, param: `${name}${one.fault.param}` };
  return { what: `${name}: ${one.what}`, value, ...(fault && { fault }) };
}

function absentCase(
  name: string,
  base: { [name: string]: Json },
  code: string | undefined,
): ValueCase {
  const { [name]: _, ...rest } = base;
  const fault = code === undefined ? undefined : { code, param: name };
  return { what: `${name}: absent`, value: rest, ...(fault && { fault }) };
}

function typeCases(schema: Schema, types: readonly string[]): ValueCase[] {
  if (types.length === 0) return [];
  const isAllowed = (type: string) =>
    types.includes(type) || (type === "integer" && types.includes("number"));
  return SAMPLES.flatMap(([type, value]) => {
    if (!isAllowed(type)) {
      return [refusedCase(`${JSON.stringify(value)}, of another type`, value, schema, "type")];
    }
    return type === "null" ? [acceptedCase(null)] : [];
  });
}

function stringCases(schema: Schema): ValueCase[] {
  return textCases({ ...schema, type: "string" }).map(({ what, text, violates }) =>
    violates === undefined ? { what, value: text } : refusedCase(what, text, schema, violates),
  );
}

function booleanCases(schema: Schema): ValueCase[] {
  const allowed = schema.enum ?? [true, false];
  return [true, false].map((value) =>
    allowed.includes(value)
      ? acceptedCase(value)
      : refusedCase(`${value}, not listed`, value, schema, "enum"),
  );
}

function numberCases(schema: Schema, types: readonly string[]): ValueCase[] {
  const step = types.includes("integer") ? 1 : 0.5;
  const { minimum = -Infinity, maximum = Infinity } = schema;
  const isInside = (value: number) => value >= Number(minimum) && value <= Number(maximum);
  const limit = (keyword: string, inward: 1 | -1): ValueCase[] => {
    if (schema[keyword] === undefined) return [];
    const edge = Number(schema[keyword]);
    const isOpen = keyword.startsWith("exclusive");
    const least = isOpen ? edge + inward * step : edge;
    const outside = [least - inward * step, inward === 1 ? -(2 ** 53) : 2 ** 53, -inward * 1e300];
    return [
      ...[least, least + inward * step].filter(isInside).map(acceptedCase),
      ...outside.map((value) => refusedCase(`${value}, out of range`, value, schema, keyword)),
    ];
  };
  const values = ((schema["enum"] ?? []) as Json[]).map(acceptedCase);
  return [
    ...values,
    ...["minimum", "exclusiveMinimum"].flatMap((keyword) => limit(keyword, 1)),
    ...["maximum", "exclusiveMaximum"].flatMap((keyword) => limit(keyword, -1)),
  ];
}

function arrayCases(schema: Schema): ValueCase[] {
  const items = deref((schema["items"] ?? {}) as Schema);
  const item = validValue(items);
  const of = (count: number) => Array.from({ length: count }, () => item);
  const max = schema["maxItems"] as number | undefined;
  const inner = valueCases(items).filter(({ value }) => value !== undefined);
  const last = Math.max((max ?? 1) - 1, 0);
  return [
    ...countCases(schema, "Items", of),
    ...inner.flatMap((one) =>
      [...new Set([0, last])].map((index): ValueCase => {
        const fault = one.fault && { ...one.fault, param: `[${index}]${one.fault.param}` };
        const value = [...of(index), one.value as Json];
        return { what: `[${index}]: ${one.what}`, value, ...(fault && { fault }) };
      }),
    ),
  ];
}

function objectCases(schema: Schema): ValueCase[] {
  const values = schema["additionalProperties"];
  const names = schema["propertyNames"] as Schema | undefined;
  if (typeof values !== "object" || values === null) {
    return fieldCases(schema, validValue(schema) as { [name: string]: Json }, ".");
  }
  const valid = validValue(values as Schema);
  const of = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, valid]));
  const inner = valueCases(values as Schema).map((one) =>
    propertyCase("k", one, one.value as Json),
  );
  const named = valueCases({ type: "string", ...names })
    .filter(({ value }) => typeof value === "string")
    .map((one) => propertyCase(textOf(one.value), one, valid));
  return [...countCases(schema, "Properties", of), ...inner, ...named];
}

function propertyCase(name: string, one: ValueCase, value: Json): ValueCase {
  const shown = name.toWellFormed() || '""';
  const fault = one.fault && { ...one.fault, param: `.${shown}${one.fault.param}` };
  // An object literal would set the prototype for the name __proto__.
  const object = Object.fromEntries([[name, value]]);
  return { what: one.what, value: object, ...(fault && { fault }) };
}

function countCases(schema: Schema, noun: "Items" | "Properties", of: (count: number) => Json) {
  const cases: ValueCase[] = [];
  const min = Number(schema[`min${noun}`] ?? 0);
  const max = schema[`max${noun}`] as number | undefined;
  const inside = [min, min + 1, ...(max === undefined ? [] : [max - 1, max])];
  for (const count of new Set(inside.filter((one) => one >= min && one <= (max ?? one)))) {
    cases.push({ what: `${count} entries`, value: of(count) });
  }
  if (min > 0) {
    cases.push(refusedCase(`${min - 1} entries`, of(min - 1), schema, `min${noun}`));
  }
  for (const count of max === undefined ? [] : [max + 1, max * 10]) {
    cases.push(refusedCase(`${count} entries`, of(count), schema, `max${noun}`));
  }
  return cases;
}

function unknownCases(schema: Schema, base: { [name: string]: Json }, dot: string): ValueCase[] {
  if (schema["additionalProperties"] !== false) return [];
  const deep = JSON.parse(`${"[".repeat(NESTING_DEPTH)}${"]".repeat(NESTING_DEPTH)}`) as Json;
  const unknown: [string, Json][] = [
    ["surely_unknown", 1],
    ["surely_unknown", null],
    ["surely_unknown", deep],
    ["__proto__", {}],
    ["constructor", "x"],
    ["", "x"],
    ["\0", "x"],
  ];
  return unknown.map(([name, value]) => ({
    what: `an unknown ${JSON.stringify(name)}`,
    value: Object.fromEntries([...Object.entries(base), [name, value]]),
    fault: { code: codeOf(schema, "additionalProperties"), param: `${dot}${name || '""'}` },
  }));
}

/** A value that is valid by the schema. */
export function validValue(node: Schema): Json {
  const schema = deref(node);
  if (schema["const"] !== undefined) return schema["const"] as Json;
  const [example] = (schema["examples"] ?? schema["enum"] ?? []) as Json[];
  if (example !== undefined) return example;
  const type = typesOf(schema).find((one) => one !== "null");
  if (type === "string") return validTexts({ ...schema, type })[0] ?? "";
  if (type === "boolean") return true;
  if (type === "array") return [];
  if (type !== "object") return Number(schema["minimum"] ?? 1);
  const properties = (schema["properties"] ?? {}) as Record<string, Schema>;
  const required = (schema["required"] ?? []) as string[];
  return Object.fromEntries(required.map((name) => [name, validValue(properties[name] ?? {})]));
}
