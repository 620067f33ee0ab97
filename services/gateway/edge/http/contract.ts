/** An OpenAPI document as the gateway uses it: text, error codes, and its operations with their schemas. */
import { readFileSync } from "node:fs";
import type { AllowAddress } from "#runtime/address.ts";
import {
  createCheckers,
  type AssetBaseUrl,
  type ErrorCode,
  type ErrorType,
  type ObjectSchema,
} from "../validation/checker.ts";

export type CodeEntry = { code: ErrorCode; status: number; type: ErrorType; description: string };

export type OpenApiDocument = {
  servers: [{ url: string }];
  paths: Record<string, Record<string, unknown>>;
  webhooks?: Record<string, Record<string, unknown>>;
  info: Record<"title" | "summary" | "description" | "version", string>;
  components: { schemas: Record<string, object>; examples?: Record<string, { value: object }> };
  "x-max-body-bytes": number;
  "x-error-codes": CodeEntry[];
};

export type Contract = ReturnType<typeof loadContract>;

/** Those that a path of a document may have, as it writes them. */
const METHODS: ReadonlySet<string> = new Set(["get", "post", "put", "patch", "delete"]);

type DocumentName = "media" | "dashboard" | "openai";

/** How other documents refer to the public one. */
const PUBLIC = "./media.yaml#/";

/** A document as `npm run gen` has parsed it: to parse YAML takes a tenth of the time of a start. */
export function readJson(name: DocumentName): string {
  return readProjectFile(`gen/openapi/${name}.json`);
}

function readProjectFile(path: string): string {
  return readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8");
}

/** A document with the components and error codes of the public one, to which it may refer, beside its own. */
export function readDocument(name: DocumentName): OpenApiDocument {
  const own = JSON.parse(readJson(name).replaceAll(PUBLIC, "#/")) as OpenApiDocument;
  if (name === "media") return own;
  const shared = readDocument("media");
  const components: Record<string, object> = { ...shared.components };
  for (const [kind, all] of Object.entries(own.components))
    components[kind] = { ...components[kind], ...all };
  return {
    ...own,
    components,
    // The public row of a code that both have is for those who name no type.
    "x-error-codes": [...shared["x-error-codes"], ...own["x-error-codes"]],
  } as OpenApiDocument;
}

/** Prepares a document for routing and validation. `allow` and `assetBaseUrl` permit more URLs in what clients send. */
export function loadContract(name: DocumentName, allow: AllowAddress, assetBaseUrl: AssetBaseUrl) {
  const document = readDocument(name);
  const codes = document["x-error-codes"];
  /** The row of a code; `type` selects one when a code has several rows. Throws when there is no such row. */
  const codeEntry = (code: ErrorCode, type?: ErrorType): CodeEntry => {
    const found = codes.find((entry) => entry.code === code && (type ?? entry.type) === entry.type);
    if (!found) throw new Error(`the document has no error code ${code} ${type ?? ""}`);
    return found;
  };
  return {
    document,
    yaml: readProjectFile(`openapi/${name}.yaml`),
    /** The prefix of all paths: `/v1`. */
    prefix: document.servers[0].url,
    maxBodyBytes: document["x-max-body-bytes"],
    codeEntry,
    /** The checker of a header, query or body schema, which is compiled when first used. */
    checkerFor: createCheckers(allow, assetBaseUrl, (code) => codeEntry(code).description),
  };
}

/** The path as the router reads it: no query or fragment; percent-decoded except for encoded slashes. */
export function pathOf(url: string): string {
  return decodeURI(url.split(/[?#]/, 1)[0] ?? "");
}

export type DocumentOperation = ReturnType<typeof operationsOf>[number];

export type Content = Record<
  string,
  {
    schema: ObjectSchema;
    example?: unknown;
    examples?: Record<string, { value?: unknown }>;
    "x-max-body-bytes"?: number;
  }
>;
export type ParameterNode = {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema: object;
  example?: string | number | boolean;
};
type ResponseNode = {
  description?: string;
  content?: Content;
  "x-codes"?: string[];
  /** The types that its codes have here; all of those that the codes have, where it is absent. */
  "x-error-types"?: string[];
  /** By code, in place of the code's own. */
  "x-code-descriptions"?: Record<string, string>;
};
/** An operation as the document has it, its references resolved. */
export type OperationNode = {
  /** In capitals. */
  method: string;
  path: string;
  operationId: string;
  tags: [string];
  summary: string;
  description?: string;
  /** Those of the path come first. */
  parameters: ParameterNode[];
  requestBody?: { content?: Content };
  responses: Record<string, ResponseNode>;
  security?: object[];
  "x-max-body-bytes"?: number;
  "x-roles"?: string[];
};

/** The operations of a document, or its events, in its order. */
export function operationNodes(
  document: OpenApiDocument,
  among: "paths" | "webhooks" = "paths",
): OperationNode[] {
  const paths = withoutReferences(document, document[among] ?? {}) as OpenApiDocument["paths"];
  return Object.entries(paths).flatMap(([path, { parameters: shared = [], ...item }]) =>
    Object.entries(item)
      .filter(([key]) => METHODS.has(key))
      .map(([key, node]) => {
        const operation = node as Omit<OperationNode, "parameters"> & Partial<OperationNode>;
        const parameters = [...(shared as ParameterNode[]), ...(operation.parameters ?? [])];
        return { ...operation, method: key.toUpperCase(), path, parameters };
      }),
  );
}

export const JSON_TYPE = "application/json";
export const FORM_TYPE = "multipart/form-data";

export function operationsOf(document: OpenApiDocument) {
  return operationNodes(document).map((operation) => {
    /** None for an operation without a JSON body; it may have a limit other than the document's own. */
    const { schema: body, "x-max-body-bytes": maxJsonBytes } =
      operation.requestBody?.content?.[JSON_TYPE] ?? {};
    return {
      id: operation.operationId,
      method: operation.method,
      /** The path as the router writes it: `/videos/generations/:id`. */
      url: operation.path.replaceAll(/\{(\w+)\}/g, ":$1"),
      headers: schemaOf(operation, "header"),
      query: schemaOf(operation, "query"),
      body,
      maxJsonBytes,
      form: formOf(operation),
      responses: operation.responses,
      /** Of its successful answers, unless a handler sets another. */
      status: Number(Object.keys(operation.responses).find((key) => key.startsWith("2")) ?? 200),
    };
  });
}

function schemaOf({ parameters }: OperationNode, place: ParameterNode["in"]): ObjectSchema {
  const own = parameters.filter((parameter) => parameter.in === place);
  return {
    type: "object",
    properties: Object.fromEntries(own.map(({ name, schema }) => [name, schema])),
    required: own.filter(({ required }) => required).map(({ name }) => name),
  } as ObjectSchema;
}

/** The form that is the body, or may replace its JSON; with `types`, of one such file, by the operation's limit. */
function formOf({ requestBody, "x-max-body-bytes": maxFileBytes }: OperationNode) {
  const { [JSON_TYPE]: _json, [FORM_TYPE]: form, ...files } = requestBody?.content ?? {};
  const maxBytes = form?.["x-max-body-bytes"] ?? maxFileBytes;
  if (!form || maxBytes === undefined) return undefined;
  return { schema: form.schema, maxBytes, types: Object.keys(files) };
}

/** A part of the document with its references resolved. No schema contains itself, so this ends. */
function withoutReferences(document: OpenApiDocument, part: unknown): unknown {
  const known = new Map<string, object>();
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== "object" || value === null) return value;
    const { $ref, ...own } = value as { $ref?: string };
    const fields = Object.entries(own).map(([name, field]) => [name, resolve(field)]);
    return { ...($ref ? at($ref) : {}), ...Object.fromEntries(fields) };
  };
  /** `reference` is `#/components/…`. */
  const at = (reference: string): object => {
    let target = known.get(reference);
    if (target === undefined) {
      const names = reference.split("/").slice(1);
      const found = names.reduce<unknown>((node, name) => (node as never)[name], document);
      if (found === undefined) throw new Error(`the document has nothing at ${reference}`);
      known.set(reference, (target = resolve(found) as object));
    }
    return target;
  };
  return resolve(part);
}
