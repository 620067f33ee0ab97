/** Adds code samples to every operation of the document, made from the document's own examples. */
import { isMethod, type OpenApiDocument } from "../edge/http/contract.ts";
import type { CodeSample } from "./operations.ts";
import { curlSample } from "../../../clients/samples/sample-languages.ts";
import { pythonClientSample, typescriptClientSample, type ClientCall } from "./client-samples.ts";
import { firstExample, resolved, withoutAddresses, type Media, type Node } from "./schema.ts";

type Scalar = string | number | boolean;
type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  example?: Scalar;
};
type Operation = Node & {
  operationId: string;
  parameters?: Node[];
  requestBody?: Node;
  responses: object;
};

const JSON_TYPE = "application/json";

/** Returns a copy of the document with samples. The document's paths are appended to `baseUrl`. */
export function withCodeSamples(document: OpenApiDocument, baseUrl: string): OpenApiDocument {
  const paths = Object.entries(document.paths).map(([path, item]) => {
    const operations = Object.entries(item).map(([method, operation]) => {
      if (!isMethod(method)) return [method, operation];
      const call = callOf(document, { baseUrl, path, method, item, operation });
      return [method, { ...(operation as Operation), "x-codeSamples": samplesOf(call) }];
    });
    return [path, Object.fromEntries(operations)];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

export function samplesOf(call: ClientCall): CodeSample[] {
  return [
    { label: "curl", source: curlSample(call.request) },
    { label: "TypeScript", source: typescriptClientSample(call) },
    { label: "Python", source: pythonClientSample(call) },
  ];
}

type OperationContext = {
  baseUrl: string;
  path: string;
  method: string;
  item: Node;
  operation: unknown;
};

function callOf(document: OpenApiDocument, context: OperationContext): ClientCall {
  const { baseUrl, path, method, item } = context;
  const operation = context.operation as Operation;
  const inherited = (item["parameters"] ?? []) as Node[];
  const parameters = [...inherited, ...(operation.parameters ?? [])].map(
    (parameter) => resolved(document, parameter) as Node & Parameter,
  );
  const content = operation.requestBody && contentOf(document, operation.requestBody);
  const sendsFile = content?.["multipart/form-data"] !== undefined;
  const request = {
    method: method.toUpperCase(),
    url: `${baseUrl}${pathWithExamples(path, parameters)}${requiredQuery(parameters)}`,
    // A file costs nothing, and the next one has other bytes.
    hasIdempotencyKey: !sendsFile && parameters.some(({ name }) => name === "Idempotency-Key"),
    body: content?.[JSON_TYPE] && exampleBody(document, content[JSON_TYPE]),
    sendsFile,
    hasNoContent: "204" in operation.responses,
  };
  const { operationId } = operation;
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  const pathValues = inPath.map((parameter) => exampleOf(parameter, parameter.name));
  return { operationId, baseUrl, pathValues, request };
}

function pathWithExamples(path: string, parameters: readonly Parameter[]): string {
  return path.replaceAll(/\{([^{}]+)\}/g, (_whole, name: string) => {
    const parameter = parameters.find(
      (candidate) => candidate.in === "path" && candidate.name === name,
    );
    return encodeURIComponent(exampleOf(parameter, name));
  });
}

function requiredQuery(parameters: readonly Parameter[]): string {
  const query = new URLSearchParams();
  for (const parameter of parameters) {
    const { name, required } = parameter;
    if (parameter.in === "query" && required) query.append(name, exampleOf(parameter, name));
  }
  return query.size === 0 ? "" : `?${query.toString()}`;
}

function exampleOf(parameter: Parameter | undefined, name: string): string {
  const example = parameter?.example;
  if (example === undefined)
    throw new Error(`the document has no example of the parameter ${name}`);
  return String(example);
}

function contentOf(document: OpenApiDocument, requestBody: Node): Record<string, Media> {
  return resolved(document, requestBody)["content"] as Record<string, Media>;
}

function exampleBody(document: OpenApiDocument, media: Media): unknown {
  const example = firstExample(document, media);
  if (example === undefined) throw new Error("the document has no example of a request body");
  return withoutAddresses(example);
}
