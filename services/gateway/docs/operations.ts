/** The operations and events of the document, as their pages show them. */
import { isMethod, type CodeEntry, type OpenApiDocument } from "../edge/http/contract.ts";
import { slugOf } from "./html.ts";
import {
  fieldsOf,
  firstExample,
  resolved,
  rulesOf,
  typeOf,
  type Field,
  type Media,
  type Node,
  type Schema,
} from "./schema.ts";

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
