/** Reads the OpenAPI documents of APIs: their operations with their parameters, bodies and responses. */
import { readJson, readDocument } from "../../../services/gateway/edge/http/contract.ts";

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** A JSON Schema; `deref` resolves its reference. */
export type Schema = {
  [keyword: string]: unknown;
  $ref?: string;
  type?: string | string[];
  const?: Json;
  enum?: Json[];
  examples?: Json[];
  pattern?: string;
  format?: string;
  required?: string[];
  properties?: Record<string, Schema>;
};

/** A value as it is written in a query or a header. */
export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

export type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  schema: Schema;
  example?: Json;
};

type Response = { "x-codes"?: string[]; content?: Record<string, { schema: Schema }> };

export type Operation = {
  id: string;
  /** The prefix of its document's paths. */
  prefix: string;
  method: string;
  /** The path template, without the server's prefix. */
  path: string;
  parameters: Parameter[];
  body: Body | undefined;
  /** A form that is the body, or may take the place of the JSON. */
  form: Body | undefined;
  /** The largest JSON body or form, in bytes. */
  maxBodyBytes: number;
  /** Of an operation whose body is a file. */
  maxUploadBytes: number | undefined;
  /** Each documented status, with its error codes and the schema of its body. */
  responses: { status: number; codes: string[]; schema: Schema }[];
  successStatus: number;
};

export type Body = { schema: Schema; examples: { [name: string]: Json }[] };

type RawBody = {
  schema: Schema;
  examples?: Record<string, { value: Json }>;
  "x-max-body-bytes"?: number;
};

type RawOperation = {
  operationId: string;
  parameters?: Schema[];
  requestBody?: { content: Record<string, RawBody> };
  responses: Record<string, Schema>;
  "x-max-body-bytes"?: number;
};

type Document = Schema & {
  servers: [{ url: string }];
  paths: Record<string, Record<string, RawOperation>>;
  "x-max-body-bytes": number;
  "x-error-codes": { code: string; status: number; type: string }[];
};

const document = JSON.parse(readJson("media")) as Document;

/** Its components are those of the public document and its own, which have other names. */
const dialect = readDocument("openai") as unknown as Document;

/** Those of both documents. */
export const { components } = dialect;

const prefix = document.servers[0].url;

/** The object that the node refers to, or the node itself. */
export function deref(node: Schema): Schema {
  if (node.$ref === undefined) return node;
  const steps = node.$ref.split("/").slice(1);
  return deref(steps.reduce((at, step) => at[step] as Schema, dialect as Schema));
}

const METHODS = ["get", "post", "put", "patch", "delete"];

/** Those of the public document, then those of the dialect. */
export const operations: readonly Operation[] = [document, dialect].flatMap(operationsOf);

/** Those of the public document. */
export const publicOperations = operations.filter((operation) => operation.prefix === prefix);

function operationsOf(of: Document): Operation[] {
  return Object.entries(of.paths).flatMap(([template, item]) =>
    METHODS.filter((method) => method in item).map((method) =>
      operationOf(of, template, method, item[method] as RawOperation),
    ),
  );
}

function operationOf(of: Document, template: string, method: string, raw: RawOperation): Operation {
  const responses = Object.entries(raw.responses).map(([status, response]) => {
    const { "x-codes": codes = [], content } = deref(response) as Response;
    return {
      status: Number(status),
      codes,
      schema: deref(content?.["application/json"]?.schema ?? {}),
    };
  });
  const body = raw.requestBody?.content["application/json"];
  const form = raw.requestBody?.content["multipart/form-data"];
  const { "x-max-body-bytes": maxFormBytes } = form ?? {};
  const maxJsonBytes = body?.["x-max-body-bytes"] ?? of["x-max-body-bytes"];
  return {
    id: raw.operationId,
    prefix: of.servers[0].url,
    method: method.toUpperCase(),
    path: template,
    parameters: (raw.parameters ?? []).map((one) => deref(one) as unknown as Parameter),
    body: body && bodyOf(body),
    form: form && maxFormBytes !== undefined ? bodyOf(form) : undefined,
    maxBodyBytes: body ? maxJsonBytes : (maxFormBytes ?? maxJsonBytes),
    maxUploadBytes: raw["x-max-body-bytes"],
    responses,
    successStatus: responses.find(({ status }) => status < 400)?.status ?? 0,
  };
}

function bodyOf({ schema, examples = {} }: RawBody): Body {
  return {
    schema: deref(schema),
    examples: Object.values(examples).map(({ value }) => value as never),
  };
}

/** The smallest of the document's examples of the operation's body, or else of its form. */
export function smallestExample(
  operation: Operation,
  body = operation.body ?? operation.form,
): { [name: string]: Json } {
  const bySize = (body?.examples ?? []).toSorted(
    (a, b) => JSON.stringify(a).length - JSON.stringify(b).length,
  );
  const [smallest] = bySize;
  if (!smallest) throw new Error(`${operation.id} has no example of its body`);
  return smallest;
}

/** An example id for the path: that of the response's `id`, else the parameter's. */
export function exampleId(operation: Operation): string {
  const schema = operation.responses.find(({ status }) => status < 300)?.schema ?? {};
  const id = (schema["properties"] as Record<string, Schema> | undefined)?.["id"];
  const [example] = ((id && deref(id)["examples"]) ?? []) as string[];
  const parameter = operation.parameters.find((one) => one.in === "path");
  return example ?? textOf(parameter?.example);
}

/** The path to request, with `id` in the place of its parameter. */
export function pathWith(operation: Operation, id: string): string {
  return `${operation.prefix}${operation.path.replace(/\{[^}]+\}/, encodeURIComponent(id))}`;
}
