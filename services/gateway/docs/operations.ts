/** The fields of operations and events, as their pages show them. */
import type { Content, OperationNode, ParameterNode } from "../edge/http/contract.ts";
import { slugOf } from "./html.ts";

type Schema = {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  "x-when-absent"?: string;
  [limit: string]: unknown;
};

/** The path of its page, below /docs. */
export function operationPath({ operationId }: OperationNode): string {
  return `reference/${slugOf(operationId.replaceAll(/[A-Z]/g, " $&"))}`;
}

/** An event, which the service sends, has a name in place of a path. */
export function isEvent({ path }: OperationNode): boolean {
  return !path.startsWith("/");
}

export function parameterOf({ name, required, schema, description }: ParameterNode): Field {
  const field = fieldOf(name, schema as Schema, required === true, MAX_DEPTH);
  return { ...field, description: description ?? field.description };
}

export function exampleOf({ example, schema }: ParameterNode): string {
  const [shown] = (schema as Schema).examples ?? [];
  return String(example ?? (shown as string | number | undefined) ?? "");
}

export function bodyOf(content: Content = {}) {
  const [first] = Object.entries(content);
  if (!first) return undefined;
  const [type, { schema, example, examples = {} }] = first;
  const [named] = Object.values(examples);
  return { type, fields: fieldsOf(schema as Schema), example: named?.value ?? example };
}

/** The schema that is not `null`, of those that a value may have. */
function valueSchema(schema: Schema): Schema {
  const { anyOf, oneOf, description } = schema;
  const first = (anyOf ?? oneOf)?.find(({ type }) => type !== "null");
  return first ? { ...first, ...(description !== undefined && { description }) } : schema;
}

export type Field = {
  name: string;
  isRequired: boolean;
  /** Such as "integer" or "array of string". */
  type: string;
  /** Markdown. */
  description: string;
  /** Allowed values, default and limits, each as text. */
  rules: string[];
  /** Those of an object, or of the objects of a list. */
  fields: Field[];
  /** A value that it may have; undefined where the document has none. */
  example: unknown;
  /** What holds without it, where the document says that. */
  whenAbsent: string | undefined;
};

const MAX_DEPTH = 5;

/** What differs from model to model. */
const OF_MODELS =
  /(?<=\b(?:model's|whose)\s+)`(?:durations|aspect_ratios|sizes|parameters|inputs|max_reference_images)`/g;

/** The fields of an object's schema; none for another schema. */
function fieldsOf(schema: Schema, depth = 0): Field[] {
  const { properties = {}, required = [] } = valueSchema(schema);
  return Object.entries(properties).map(([name, property]) =>
    fieldOf(name, property, required.includes(name), depth),
  );
}

function fieldOf(name: string, schema: Schema, isRequired: boolean, depth: number): Field {
  const value = valueSchema(schema);
  const items = value.items && valueSchema(value.items);
  return {
    name,
    isRequired,
    type: typeOf(value),
    description: (value.description ?? "").replaceAll(OF_MODELS, "[$&](/docs/models)"),
    rules: rulesOf(value),
    fields: depth < MAX_DEPTH ? fieldsOf(items ?? value, depth + 1) : [],
    example: items?.examples ? [items.examples[0]] : value.examples?.[0],
    whenAbsent: value["x-when-absent"],
  };
}

function typeOf(schema: Schema): string {
  const value = valueSchema(schema);
  if (value.items) return `array of ${typeOf(value.items)}`;
  if ("const" in value) return typeof value.const;
  const types = [value.type ?? (value.properties ? "object" : "any")].flat();
  return types.filter((type) => type !== "null").join(" or ");
}

const LIMITS: Record<string, string> = {
  minimum: "at least #",
  exclusiveMinimum: "more than #",
  maximum: "at most #",
  minLength: "at least # characters",
  maxLength: "at most # characters",
  minItems: "at least # entries",
  maxItems: "at most # entries",
  maxProperties: "at most # keys",
};

/** Allowed values, default and limits of a schema. */
function rulesOf(schema: Schema): string[] {
  const values = schema.enum ?? ("const" in schema ? [schema.const] : []);
  const shown = values.filter((value) => value !== null).map(String);
  const limits = Object.entries(LIMITS)
    .filter(([key]) => key in schema)
    .filter(([key]) => !(key === "minLength" && schema[key] === 1))
    .map(([key, words]) => words.replace("#", Number(schema[key]).toLocaleString("en-US")));
  return [
    ...(shown.length > 0 ? [`one of: ${shown.join(", ")}`] : []),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
    ...limits,
  ];
}

/** An example without its addresses: those of others, to which nothing may be sent. */
export function withoutAddresses(example: unknown): object {
  const entries = Object.entries(example as Record<string, unknown>);
  return Object.fromEntries(entries.filter(([, value]) => !String(value).startsWith("https://")));
}
