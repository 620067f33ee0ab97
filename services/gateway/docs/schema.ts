/** Reads schemas of the document: references, examples, types in words, and their limits. */
import type { OpenApiDocument } from "../edge/http/contract.ts";

export type Node = { $ref?: string; [key: string]: unknown };

export type Schema = Node & {
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
  format?: string;
  examples?: unknown[];
};

/** A content type of a body. */
export type Media = {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, Node & { value?: unknown }>;
};

/** What `$ref` points at; the node itself where it has none. */
export function resolved<T extends Node>(document: OpenApiDocument, node: T): T {
  if (node.$ref === undefined) return node;
  const steps = node.$ref.split("/").slice(1);
  const target = steps.reduce((parent, step) => parent[step] as Node, document as unknown as Node);
  const { $ref: _reference, ...own } = node;
  return { ...(target as T), ...own };
}

/** The first example of a body; undefined where it has none. */
export function firstExample(document: OpenApiDocument, media: Media): unknown {
  const [first] = Object.values(media.examples ?? {});
  return first ? resolved(document, first)["value"] : media.example;
}

/** The schema that is not `null`, of those that a value may have. */
function valueSchema(document: OpenApiDocument, schema: Schema): Schema {
  const found = resolved(document, schema);
  const [first] = (found.anyOf ?? found.oneOf ?? []).filter(({ type }) => type !== "null");
  return first ? { ...resolved(document, first), ...described(found) } : found;
}

function described({ description }: Schema): Pick<Schema, "description"> {
  return description === undefined ? {} : { description };
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
  whenAbsent?: string;
};

const MAX_DEPTH = 5;

/** What differs from model to model. */
const OF_MODELS =
  /(?<=\b(?:model's|whose)\s+)`(?:durations|aspect_ratios|sizes|parameters|inputs|max_reference_images)`/g;

/** The fields of an object's schema; none for another schema. */
export function fieldsOf(document: OpenApiDocument, schema: Schema, depth = 0): Field[] {
  const { properties = {}, required = [] } = valueSchema(document, schema);
  return Object.entries(properties).map(([name, property]) => {
    const value = valueSchema(document, property);
    const items = value.items && valueSchema(document, value.items);
    return {
      name,
      isRequired: required.includes(name),
      type: typeOf(document, value),
      description: (value.description ?? "").replaceAll(OF_MODELS, "[$&](/docs/models)"),
      rules: rulesOf(value),
      fields: depth < MAX_DEPTH ? fieldsOf(document, items ?? value, depth + 1) : [],
      example: items?.examples ? [items.examples[0]] : value.examples?.[0],
      ...(value["x-when-absent"] !== undefined && { whenAbsent: value["x-when-absent"] as string }),
    };
  });
}

export function typeOf(document: OpenApiDocument, schema: Schema): string {
  const value = valueSchema(document, schema);
  if (value.items) return `array of ${typeOf(document, value.items)}`;
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
export function rulesOf(schema: Schema): string[] {
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
export function withoutAddresses(example: unknown): unknown {
  const entries = Object.entries(example as Record<string, unknown>);
  return Object.fromEntries(entries.filter(([, value]) => !String(value).startsWith("https://")));
}
