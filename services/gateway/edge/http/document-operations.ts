/** The operations of a document as routes: every reference in their schemas is replaced by what it names. */
import { METHODS, type OpenApiDocument } from "./contract.ts";
import type { ObjectSchema } from "../validation/checker.ts";

export type DocumentOperation = {
  id: string;
  method: Uppercase<(typeof METHODS)[number]>;
  /** The path as the router writes it: `/videos/generations/:id`. */
  url: string;
  headers: ObjectSchema;
  query: ObjectSchema;
  /** Undefined for an operation without a JSON body. */
  body: ObjectSchema | undefined;
  /** The largest JSON body, if it is not the document's own limit. */
  maxJsonBytes: number | undefined;
  /** A form with files that is the body, or may take the place of the JSON. */
  form: { schema: ObjectSchema; maxBytes: number } | undefined;
  /** The types and size that are allowed; undefined unless the body is a file. */
  upload: { types: readonly string[]; maxBytes: number } | undefined;
  /** The JSON schemas of its answers, by status. */
  response: Record<string, { content: Content }>;
};

type Content = Record<string, { schema: ObjectSchema; "x-max-body-bytes"?: number }>;
type Parameter = { name: string; in: string; required?: boolean; schema: object };
type DocumentPath = Partial<Record<(typeof METHODS)[number], ResolvedOperation>> & {
  parameters?: Parameter[];
};
type ResolvedOperation = {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content?: Content };
  "x-max-body-bytes"?: number;
  responses: Record<string, { content?: Content }>;
};

const JSON_TYPE = "application/json";
const FORM_TYPE = "multipart/form-data";

export function operationsOf(document: OpenApiDocument): DocumentOperation[] {
  const paths = withoutReferences(document) as Record<string, DocumentPath>;
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method): DocumentOperation[] => {
      const operation = item[method];
      if (!operation) return [];
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
      return [
        {
          id: operation.operationId,
          method: method.toUpperCase() as Uppercase<typeof method>,
          url: path.replaceAll(/\{(\w+)\}/g, ":$1"),
          headers: schemaOf(parameters, "header"),
          query: schemaOf(parameters, "query"),
          body: operation.requestBody?.content?.[JSON_TYPE]?.schema,
          maxJsonBytes: operation.requestBody?.content?.[JSON_TYPE]?.["x-max-body-bytes"],
          form: formOf(operation),
          upload: uploadOf(operation),
          response: jsonAnswers(operation),
        },
      ];
    }),
  );
}

function schemaOf(parameters: readonly Parameter[], place: string): ObjectSchema {
  const own = parameters.filter((parameter) => parameter.in === place);
  return {
    type: "object",
    properties: Object.fromEntries(own.map(({ name, schema }) => [name, schema])),
    required: own.filter(({ required }) => required).map(({ name }) => name),
  } as ObjectSchema;
}

/** A form that has a limit of its own; the form of an upload has the operation's. */
function formOf({ requestBody }: ResolvedOperation): DocumentOperation["form"] {
  const { schema, "x-max-body-bytes": maxBytes } = requestBody?.content?.[FORM_TYPE] ?? {};
  return schema === undefined || maxBytes === undefined ? undefined : { schema, maxBytes };
}

function uploadOf(operation: ResolvedOperation): DocumentOperation["upload"] {
  const types = Object.keys(operation.requestBody?.content ?? {});
  const maxBytes = operation["x-max-body-bytes"];
  if (types.length === 0 || types.includes(JSON_TYPE) || formOf(operation)) return undefined;
  if (maxBytes === undefined) throw new Error(`${operation.operationId} has no x-max-body-bytes`);
  return { types, maxBytes };
}

function jsonAnswers({ responses }: ResolvedOperation): DocumentOperation["response"] {
  return Object.fromEntries(
    Object.entries(responses).flatMap(([status, { content }]) => {
      const json = content?.[JSON_TYPE];
      return json ? [[status, { content: { [JSON_TYPE]: json } }] as const] : [];
    }),
  );
}

/** The document's paths. No schema of a document contains itself, so this ends. */
function withoutReferences(document: OpenApiDocument): unknown {
  const resolvedAt = new Map<string, unknown>();
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== "object" || value === null) return value;
    const { $ref } = value as { $ref?: unknown };
    if (typeof $ref === "string") return at($ref);
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, resolve(child)]));
  };
  /** `reference` is `#/components/…`. */
  const at = (reference: string): unknown => {
    const known = resolvedAt.get(reference);
    if (known !== undefined) return known;
    const target = reference
      .split("/")
      .slice(1)
      .reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], document);
    if (target === undefined) throw new Error(`the document has nothing at ${reference}`);
    const resolved = resolve(target);
    resolvedAt.set(reference, resolved);
    return resolved;
  };
  return resolve(document.paths);
}
