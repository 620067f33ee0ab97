/** The operations and events of the document, as their pages show them. */
import { isMethod, type CodeEntry, type OpenApiDocument } from "../edge/http/contract.ts";
import { slugOf } from "./page.ts";

type Content = Record<string, Media>;
type ResponseNode = Node & {
  description?: string;
  content?: Content;
  "x-codes"?: string[];
  /** The types that its codes have here; all of those that the codes have, where it is absent. */
  "x-error-types"?: string[];
  /** By code, in place of the code's own. */
  "x-code-descriptions"?: Record<string, string>;
};
type ParameterNode = Node & {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema?: Schema;
  example?: string | number | boolean;
};
type OperationNode = Node & {
  operationId: string;
  tags: [string];
  summary: string;
  description?: string;
  parameters?: ParameterNode[];
  requestBody?: Node & { content?: Content };
  responses: Record<string, ResponseNode>;
};

export type Parameter = Field & { in: "path" | "query" | "header"; example: string };

/** The content type with its fields and examples; `example` is the first one. */
export type Body = { type: string; fields: Field[]; example: unknown; examples: unknown[] };

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

/** All of them in the order of the document, operations before events. */
export function operationsOf(document: OpenApiDocument): Operation[] {
  const { webhooks = {} } = document as { webhooks?: Record<string, Record<string, unknown>> };
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter(isMethod)
      .map((method) => {
        const inherited = (item["parameters"] ?? []) as ParameterNode[];
        const route = { method: method.toUpperCase(), path };
        return operationOf(document, item[method] as OperationNode, route, inherited);
      }),
  );
  const events = Object.values(webhooks).map(({ post }) =>
    operationOf(document, post as OperationNode, undefined, []),
  );
  return [...operations, ...events];
}

function operationOf(
  document: OpenApiDocument,
  node: OperationNode,
  route: Operation["route"],
  inherited: ParameterNode[],
): Operation {
  const responses = Object.entries(node.responses).map(
    ([status, response]) => [status, resolved(document, response)] as const,
  );
  const request = node.requestBody && resolved(document, node.requestBody);
  return {
    id: node.operationId,
    tag: node.tags[0],
    summary: node.summary,
    description: node.description ?? "",
    route,
    parameters: [...inherited, ...(node.parameters ?? [])].map((parameter) =>
      parameterOf(document, resolved(document, parameter)),
    ),
    body: bodyOf(document, request?.content),
    successes: responses
      .filter(([status]) => status.startsWith("2"))
      .map(([status, { description = "", content }]) => ({
        status,
        description,
        body: bodyOf(document, content),
      })),
    errors: responses.flatMap(([status, response]) => errorsOf(document, status, response)),
  };
}

/** The codes that a response may have, as they are meant there. */
function errorsOf(
  document: OpenApiDocument,
  status: string,
  {
    "x-codes": codes = [],
    "x-error-types": types,
    "x-code-descriptions": descriptions = {},
  }: ResponseNode,
): CodeEntry[] {
  return codes.flatMap((code) =>
    document["x-error-codes"]
      .filter((entry) => entry.code === code && String(entry.status) === status)
      .filter(({ type }) => types?.includes(type) ?? true)
      .map((entry) => ({ ...entry, description: descriptions[code] ?? entry.description })),
  );
}

function parameterOf(document: OpenApiDocument, node: ParameterNode): Parameter {
  const schema = resolved(document, node.schema ?? {});
  const example = node.example ?? (schema.examples?.[0] as string | number | undefined) ?? "";
  return {
    name: node.name,
    in: node.in,
    isRequired: node.required === true,
    type: typeOf(document, schema),
    description: node.description ?? schema.description ?? "",
    rules: rulesOf(schema),
    fields: [],
    example: String(example),
  };
}

function bodyOf(document: OpenApiDocument, content: Content | undefined): Body | undefined {
  const [type, media] = Object.entries(content ?? {})[0] ?? [];
  if (type === undefined || media === undefined) return undefined;
  return {
    type,
    fields: media.schema ? fieldsOf(document, media.schema) : [],
    example: firstExample(document, media),
    examples: Object.values(media.examples ?? {}).map((one) => resolved(document, one)["value"]),
  };
}

type Node = { $ref?: string; [key: string]: unknown };

type Schema = Node & {
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
type Media = {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, Node & { value?: unknown }>;
};

/** What `$ref` points at; the node itself where it has none. */
function resolved<T extends Node>(document: OpenApiDocument, node: T): T {
  if (node.$ref === undefined) return node;
  const steps = node.$ref.split("/").slice(1);
  const target = steps.reduce((parent, step) => parent[step] as Node, document as unknown as Node);
  const { $ref: _reference, ...own } = node;
  return { ...(target as T), ...own };
}

/** The first example of a body; undefined where it has none. */
function firstExample(document: OpenApiDocument, media: Media): unknown {
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
function fieldsOf(document: OpenApiDocument, schema: Schema, depth = 0): Field[] {
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

function typeOf(document: OpenApiDocument, schema: Schema): string {
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
export function withoutAddresses(example: unknown): unknown {
  const entries = Object.entries(example as Record<string, unknown>);
  return Object.fromEntries(entries.filter(([, value]) => !String(value).startsWith("https://")));
}
