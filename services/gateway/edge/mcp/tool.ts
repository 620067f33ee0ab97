/** What a tool is, and how it calls the REST API: as its client, within this process, with all checks and limits. */
import type { CallToolResult, ToolAnnotations } from "@modelcontextprotocol/server";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { components } from "#gen/openapi/media.ts";
import { Problem } from "../http/problem.ts";
import type { Call } from "../http/request-state.ts";
import type { Deps } from "../operations/deps.ts";

export type ToolRequest = Call<Deps> & {
  /** The JSON-RPC message, not checked; undefined where the request is no POST. */
  message: unknown;
  api: ReturnType<typeof callApi>;
};

export type ToolContext = ToolRequest & {
  /** Tells the client how far it is; undefined where it has not asked for that. */
  report: Report | undefined;
};

export type Report = (progress: number, message: string) => Promise<void>;

export type Schema = { properties?: Record<string, unknown> } & Record<string, unknown>;

export type Tool = {
  name: string;
  title: string;
  description: string;
  annotations: ToolAnnotations;
  /** What is checked. */
  input: Schema;
  /** What its results are, unless they are refusals. */
  output: Schema;
  run: (input: never, context: ToolContext) => Promise<CallToolResult>;
};

/** What a model can follow. Formats, and patterns without an error code of their own, are checked and not shown. */
const SHOWN = /^(?:description|required|additionalProperties|m(?:in|ax)(?:imum|Items|Length))$/;

/** The schema as clients get it: smaller, and without what some of their models cannot read. */
export function shown({ type, enum: values, items, properties, ...rest }: Schema): Schema {
  return {
    type: [type].flat().find((one) => one !== "null"),
    ...Object.fromEntries(Object.entries(rest).filter(([name]) => SHOWN.test(name))),
    ...("description" in rest && { description: unbroken(rest["description"]) }),
    ...(rest["x-error-code"] ? { pattern: rest["pattern"] } : {}),
    ...(Array.isArray(values) ? { enum: values.filter((value) => value !== null) } : {}),
    ...partsBy(shown, items, properties),
  };
}

/** Without the line breaks that the document has within a sentence. */
export function unbroken(text: unknown): string {
  return String(text)
    .trim()
    .replaceAll(/(?<!\n)\n(?![\n*-])/g, " ");
}

const TYPES = /^(?:type|enum|const|required)$/;

/** What an answer has: its types, values and required fields. */
export function typesOf({ items, properties, anyOf, allOf, ...rest }: Schema): Schema {
  const { additionalProperties: values } = rest;
  const each = (all: unknown) => (all as Schema[]).map(typesOf);
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([name]) => TYPES.test(name))),
    ...(anyOf ? { anyOf: each(anyOf) } : {}),
    ...(Array.isArray(allOf) ? Object.assign({}, ...each(allOf)) : {}),
    ...(typeof values === "object" ? { additionalProperties: typesOf(values as Schema) } : {}),
    ...partsBy(typesOf, items, properties),
  };
}

function partsBy(
  convert: (schema: Schema) => Schema,
  items: unknown,
  properties: Schema["properties"],
): Schema {
  const fields = Object.entries(properties ?? {});
  return {
    ...(items ? { items: convert(items as Schema) } : {}),
    ...(properties && {
      properties: Object.fromEntries(fields.map(([name, one]) => [name, convert(one as Schema)])),
    }),
  };
}

type ApiCall = {
  headers?: Record<string, string>;
  /** JSON, or a file. */
  body?: object;
};

export type PublicError = components["schemas"]["Error"];

/** The answer's body; `replayed`: of an earlier request. Throws a refusal's problem. Calls `ended` at each answer. */
export function callApi(app: FastifyInstance, request: FastifyRequest, ended: () => void) {
  const { authorization = "" } = request.headers;
  return async <T>(method: "GET" | "POST", path: string, { headers, body }: ApiCall = {}) => {
    const answered = await app.inject({
      method,
      url: path,
      headers: { authorization, "request-id": request.id, ...headers },
      ...(body && { payload: body }),
    });
    ended();
    const answer = JSON.parse(answered.payload) as unknown;
    if (answered.statusCode >= 400) {
      const { error } = answer as { error: PublicError };
      throw new Problem(error.code, { ...error, ...(error.errors && { faults: error.errors }) });
    }
    return { body: answer as T, replayed: answered.headers["idempotent-replayed"] === "true" };
  };
}
