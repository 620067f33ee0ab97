/** Finds values that one JSON schema accepts and another refuses. */
import { isDeepStrictEqual } from "node:util";

const UPPER = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
const LOWER = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const SUBSCHEMAS = ["items", "additionalProperties", "propertyNames"];
const UNIONS = ["anyOf", "oneOf"];
/** Keywords that have a rule below, and annotations. */
const HANDLED = new Set([
  ...UPPER,
  ...LOWER,
  ...SUBSCHEMAS,
  ...UNIONS,
  "type",
  "enum",
  "const",
  "properties",
  "required",
  "$ref",
  "$comment",
  "description",
  "title",
  "default",
  "example",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
]);

/** Follows references within `doc`. */
export function resolve(doc, node) {
  let found = node;
  while (found?.$ref) {
    const steps = found.$ref.slice("#/".length).split("/");
    found = steps.reduce((at, step) => at?.[step.replaceAll("~1", "/").replaceAll("~0", "~")], doc);
  }
  return found ?? {};
}

/**
 * One line for each kind of value that `from` accepts and `to` refuses. Both are { doc, schema }. For requests `from`
 * is the old schema. For responses it is the new one, because clients read them, and neither a new field nor a new value
 * of an enum is a refusal.
 */
export function refusals(from, to, { isResponse }, path = "", seen = new Set()) {
  const given = resolve(from.doc, from.schema);
  const taken = resolve(to.doc, to.schema);
  const pair = `${from.schema?.$ref} ${to.schema?.$ref}`;
  if (from.schema?.$ref && to.schema?.$ref) {
    if (seen.has(pair)) return [];
    seen = new Set([...seen, pair]);
  }
  const within = (schema, other, at) =>
    refusals(
      { doc: from.doc, schema },
      { doc: to.doc, schema: other },
      { isResponse },
      `${path}${at}`,
      seen,
    );
  const lines = [
    ...typeRefusals(given, taken, isResponse),
    ...limitRefusals(given, taken),
    ...fieldRefusals(given, taken, isResponse),
  ].map((line) => `${path || "value"}: ${line}`);
  for (const [name, field] of Object.entries(given.properties ?? {})) {
    if (taken.properties?.[name]) {
      lines.push(...within(field, taken.properties[name], `.${name}`));
    }
  }
  for (const keyword of SUBSCHEMAS) {
    if (isObject(given[keyword]) && isObject(taken[keyword])) {
      lines.push(...within(given[keyword], taken[keyword], `[${keyword}]`));
    }
  }
  if (UNIONS.some((union) => given[union] || taken[union])) {
    const branches = (schema) => UNIONS.flatMap((union) => schema[union] ?? []);
    const others = branches(taken).length > 0 ? branches(taken) : [withoutUnions(taken)];
    const ours = branches(given).length > 0 ? branches(given) : [withoutUnions(given)];
    for (const [index, one] of ours.entries()) {
      const reasons = others.map((other) => within(one, other, ""));
      if (reasons.every((reason) => reason.length > 0)) {
        lines.push(`${path || "value"}: alternative ${index + 1} fits none of the others`);
      }
    }
  }
  return lines;
}

function isObject(value) {
  return typeof value === "object" && value !== null;
}

function withoutUnions(schema) {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !UNIONS.includes(key)));
}

function typeRefusals(given, taken, isResponse) {
  const lines = [];
  const hasUnion = UNIONS.some((union) => given[union]);
  const types = [taken.type ?? []].flat();
  const covers = (type) => types.includes(type) || (type === "integer" && types.includes("number"));
  const givenTypes = [given.type ?? []].flat();
  if (types.length > 0 && givenTypes.length === 0 && !hasUnion) {
    lines.push(`any type, not only ${types.join(", ")}`);
  }
  if (types.length > 0) {
    lines.push(...givenTypes.filter((type) => !covers(type)).map((type) => `the type ${type}`));
  }
  const allowed = taken.enum ?? ("const" in taken ? [taken.const] : undefined);
  if (!allowed) return lines;
  const values = given.enum ?? ("const" in given ? [given.const] : undefined);
  if (!values) return [...lines, `values other than ${allowed.join(", ")}`];
  // The document promises that answers and events may gain values within a version.
  if (isResponse && given.enum && taken.enum) return lines;
  const extra = values.filter((value) => !allowed.includes(value));
  return [...lines, ...extra.map((value) => `the value ${JSON.stringify(value)}`)];
}

function limitRefusals(given, taken) {
  const isBeyond = {
    ...Object.fromEntries(UPPER.map((key) => [key, (value, limit) => value > limit])),
    ...Object.fromEntries(LOWER.map((key) => [key, (value, limit) => value < limit])),
  };
  const limits = [...UPPER, ...LOWER].filter(
    (key) => key in taken && (!(key in given) || isBeyond[key](given[key], taken[key])),
  );
  /** Patterns, formats and unknown keywords cannot be compared: any change counts. */
  const others = Object.keys(taken).filter(
    (key) =>
      !HANDLED.has(key) && !key.startsWith("x-") && !isDeepStrictEqual(given[key], taken[key]),
  );
  return [...limits, ...others].map(
    (key) => `${key} ${JSON.stringify(given[key]) ?? "none"}, not ${JSON.stringify(taken[key])}`,
  );
}

function fieldRefusals(given, taken, isResponse) {
  const required = (taken.required ?? []).filter((name) => !(given.required ?? []).includes(name));
  const [fields, others] = [given.properties ?? {}, taken.properties ?? {}];
  const gone = isResponse
    ? Object.keys(others).filter((name) => !(name in fields))
    : Object.keys(fields).filter(
        (name) => !(name in others) && taken.additionalProperties === false,
      );
  const isClosed =
    !isResponse && taken.additionalProperties === false && given.additionalProperties !== false;
  return [
    ...required.map((name) => (isResponse ? `${name} may be absent` : `without ${name}`)),
    ...gone.map((name) => (isResponse ? `${name} is gone` : `the field ${name}`)),
    ...(isClosed ? ["fields that are not named"] : []),
  ];
}
