/** The operations and events of the document, as their pages show them. */
import {
  operationNodes,
  type CodeEntry,
  type Content,
  type OpenApiDocument,
  type OperationNode,
  type ParameterNode,
  type ResponseNode,
} from "../edge/http/contract.ts";
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
export type Parameter = Field & { in: "path" | "query" | "header"; example: string };

export type Body = { type: string; fields: Field[]; example: unknown };

export type Operation = {
  id: string;
  tag: string;
  summary: string;
  description: string;
  /** Undefined for an event, which the service sends. */
  route: { method: string; path: string } | undefined;
  parameters: Parameter[];
  body: Body | undefined;
  successes: { status: string; description: string; body: Body | undefined }[];
  errors: CodeEntry[];
};

/** The path of its page, below /docs. */
export function operationPath({ id }: Operation): string {
  return `reference/${slugOf(id.replaceAll(/[A-Z]/g, " $&"))}`;
}

export function operationsOf(document: OpenApiDocument): Operation[] {
  const codes = document["x-error-codes"];
  return [
    ...operationNodes(document).map((node) => operationOf(codes, node, node)),
    ...operationNodes(document, "webhooks").map((node) => operationOf(codes, node, undefined)),
  ];
}

function operationOf(
  codes: readonly CodeEntry[],
  node: OperationNode,
  route: Operation["route"],
): Operation {
  const responses = Object.entries(node.responses);
  return {
    id: node.operationId,
    tag: node.tags[0],
    summary: node.summary,
    description: node.description ?? "",
    route,
    parameters: node.parameters.map(parameterOf),
    body: bodyOf(node.requestBody?.content),
    successes: responses
      .filter(([status]) => status.startsWith("2"))
      .map(([status, { description = "", content }]) => ({
        status,
        description,
        body: bodyOf(content),
      })),
    errors: responses.flatMap(([status, response]) => errorsOf(codes, status, response)),
  };
}

/** The codes that a response may have, as they are meant there. */
function errorsOf(
  all: readonly CodeEntry[],
  status: string,
  {
    "x-codes": codes = [],
    "x-error-types": types,
    "x-code-descriptions": descriptions = {},
  }: ResponseNode,
): CodeEntry[] {
  return codes.flatMap((code) =>
    all
      .filter((entry) => entry.code === code && String(entry.status) === status)
      .filter(({ type }) => types?.includes(type) ?? true)
      .map((entry) => ({ ...entry, description: descriptions[code] ?? entry.description })),
  );
}

function parameterOf(node: ParameterNode): Parameter {
  const schema = node.schema as Schema;
  return {
    name: node.name,
    in: node.in,
    isRequired: node.required === true,
    type: typeOf(schema),
    description: node.description ?? schema.description ?? "",
    rules: rulesOf(schema),
    fields: [],
    example: String(node.example ?? (schema.examples?.[0] as string | number | undefined) ?? ""),
  };
}

function bodyOf(content: Content = {}): Body | undefined {
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
  whenAbsent?: string;
};

const MAX_DEPTH = 5;

/** What differs from model to model. */
const OF_MODELS =
  /(?<=\b(?:model's|whose)\s+)`(?:durations|aspect_ratios|sizes|parameters|inputs|max_reference_images)`/g;

/** The fields of an object's schema; none for another schema. */
function fieldsOf(schema: Schema, depth = 0): Field[] {
  const { properties = {}, required = [] } = valueSchema(schema);
  return Object.entries(properties).map(([name, property]) => {
    const value = valueSchema(property);
    const items = value.items && valueSchema(value.items);
    return {
      name,
      isRequired: required.includes(name),
      type: typeOf(value),
      description: (value.description ?? "").replaceAll(OF_MODELS, "[$&](/docs/models)"),
      rules: rulesOf(value),
      fields: depth < MAX_DEPTH ? fieldsOf(items ?? value, depth + 1) : [],
      example: items?.examples ? [items.examples[0]] : value.examples?.[0],
      ...(value["x-when-absent"] !== undefined && { whenAbsent: value["x-when-absent"] }),
    };
  });
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
