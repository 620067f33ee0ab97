/** The operations of the APIs' documents with their parameters, bodies and responses, in which references are resolved. */
import {
  operationNodes,
  readDocument,
  type OperationNode,
} from "../../../services/gateway/edge/http/contract.ts";

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

export type Schema = {
  [keyword: string]: unknown;
  enum?: Json[];
  examples?: Json[];
  pattern?: string;
  format?: string;
  required?: string[];
  properties?: Record<string, Schema>;
};

/** A value as it is written in a query or a header. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

export type Operation = ReturnType<typeof operationsOf>[number];

export type Body = { schema: Schema; examples: { [name: string]: Json }[] };

/** Those of the public document. */
export const publicOperations = operationsOf("media");

/** Those of both documents. */
export const operations = [...publicOperations, ...operationsOf("openai")];

function operationsOf(name: "media" | "openai") {
  const document = readDocument(name);
  return operationNodes(document).map((node) => {
    const { "application/json": json, "multipart/form-data": form } =
      node.requestBody?.content ?? {};
    const maxFormBytes = form?.["x-max-body-bytes"];
    const maxJsonBytes = json?.["x-max-body-bytes"] ?? document["x-max-body-bytes"];
    const responses = Object.entries(node.responses).map(([status, response]) => ({
      status: Number(status),
      codes: response["x-codes"] ?? [],
      schema: (response.content?.["application/json"]?.schema ?? {}) as Schema,
    }));
    return {
      id: node.operationId,
      /** The prefix of its document's paths. */
      prefix: document.servers[0].url,
      method: node.method,
      /** The path template, without the server's prefix. */
      path: node.path,
      parameters: node.parameters.map((one) => ({ ...one, schema: one.schema as Schema })),
      body: json && bodyOf(json),
      /** A form that is the body, or may take the place of the JSON. */
      form: form && maxFormBytes !== undefined ? bodyOf(form) : undefined,
      /** The largest JSON body or form, in bytes. */
      maxBodyBytes: json ? maxJsonBytes : (maxFormBytes ?? maxJsonBytes),
      /** Of an operation whose body is a file. */
      maxUploadBytes: node["x-max-body-bytes"],
      /** Each documented status, with its error codes and the schema of its body. */
      responses,
      successStatus: responses.find(({ status }) => status < 400)?.status ?? 0,
    };
  });
}

type Content = NonNullable<NonNullable<OperationNode["requestBody"]>["content"]>[string];

function bodyOf({ schema, examples = {} }: Content): Body {
  return {
    schema: schema as Schema,
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
export function exampleId({ responses, parameters }: Operation): string {
  const { schema } = responses.find(({ status }) => status < 300) ?? {};
  const [example] = schema?.properties?.["id"]?.examples ?? [];
  const parameter = parameters.find((one) => one.in === "path");
  return textOf(example ?? parameter?.example);
}

/** The path to request, with `id` in the place of its parameter. */
export function pathWith(operation: Operation, id: string): string {
  return `${operation.prefix}${operation.path.replace(/\{[^}]+\}/, encodeURIComponent(id))}`;
}
