/** What a tool is, and how it calls the REST API: as its client, within this process, with all of its checks and limits. */
import type { CallToolResult, ToolAnnotations } from "@modelcontextprotocol/server";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { components } from "#gen/openapi/media.ts";
import { Problem } from "../http/problem.ts";
import { operationsOf, type Contract, type DocumentOperation } from "../http/contract.ts";

export type ToolRequest = {
  /** The JSON-RPC message, not checked; undefined where the request is no POST. */
  message: unknown;
  call: CallApi;
  /** The admitted request, which has the caller. */
  request: FastifyRequest;
  /** Aborts when the client has left, which changes nothing of what it has asked for. */
  signal: AbortSignal;
};

export type ToolContext = ToolRequest & {
  /** Tells the client how far it is; undefined where it has not asked for that. */
  report: Report | undefined;
};

export type Report = (progress: number, message: string) => Promise<void>;

/** A JSON schema of an object. */
export type Schema = { properties?: Record<string, unknown> } & Record<string, unknown>;

export type Tool = {
  name: string;
  title: string;
  description: string;
  annotations: ToolAnnotations;
  /** What is checked. */
  input: Schema;
  /** What it creates, if it does: a field that no model takes is not shown. */
  creates?: "video" | "image";
  run: (input: never, context: ToolContext) => Promise<CallToolResult>;
};

/** A tool whose input, once checked, is an `In`. */
export function tool<In>(
  of: Omit<Tool, "run"> & { run: (input: In, context: ToolContext) => Promise<CallToolResult> },
): Tool {
  return of as Tool;
}

export function objectOf(properties: Record<string, Schema>, required: string[] = []): Schema {
  return { type: "object", properties, required, additionalProperties: false };
}

/** The same for programs and as text. */
export function resultOf(content: object): CallToolResult {
  return {
    structuredContent: { ...content },
    content: [{ type: "text", text: JSON.stringify(content) }],
  };
}

/** A matter of the program around a model. */
export const LEFT_OUT: ReadonlySet<string> = new Set(["webhook_url", "metadata"]);
/** What a model can follow. The patterns and formats are checked without being shown. */
const SHOWN = [
  "description",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
  "minLength",
  "maxLength",
  "required",
  "additionalProperties",
];

/** Some clients give up on a tool after a minute. */
export const MAX_WAIT_SECONDS = 45;

const KEY_DESCRIPTION =
  "A name for this one wish of the user: a few words and four random characters, without spaces, such as boat-at-dusk-7f3a. Whenever you repeat the call for the same wish, after a timeout or an error or because you are not sure that it arrived, send the same name and the same fields: it is then made and charged once. Only another wish, or changed fields, get another name.";

export const WAIT_SECONDS: Schema = {
  type: "integer",
  minimum: 0,
  maximum: MAX_WAIT_SECONDS,
  description: `How many seconds to wait for the end, at most ${MAX_WAIT_SECONDS}. 0, the default, answers at once.`,
};

/** The input of an operation of the document that creates a generation. */
export function createInput(
  { document }: Pick<Contract, "document">,
  operationId: string,
  more: Record<string, Schema> = {},
): Schema {
  const { body, headers } = operationOf(document, operationId);
  const { properties = {}, required } = body as Schema;
  const fields = Object.entries(properties as Record<string, Schema>);
  const key = headers.properties?.["Idempotency-Key"] as Schema;
  return objectOf(
    {
      ...Object.fromEntries(fields.filter(([name]) => !LEFT_OUT.has(name))),
      ...more,
      idempotency_key: { ...key, description: KEY_DESCRIPTION },
    },
    [...(required as string[]), "idempotency_key"],
  );
}

export function operationOf(document: Contract["document"], id: string): DocumentOperation {
  const found = operationsOf(document).find((operation) => operation.id === id);
  if (!found) throw new Error(`the document has no operation ${id}`);
  return found;
}

/** The schema as clients get it: smaller, and without what some of their models cannot read. */
export function shown(schema: Schema): Schema {
  const types = [schema["type"]].flat().filter((type) => type !== "null");
  const { items, properties, enum: values } = schema;
  return {
    type: types[0],
    ...Object.fromEntries(
      SHOWN.flatMap((name) => (name in schema ? [[name, schema[name]] as const] : [])),
    ),
    ...(Array.isArray(values) ? { enum: values.filter((value) => value !== null) } : {}),
    ...(items === undefined ? {} : { items: shown(items as Schema) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, one]) => [name, shown(one as Schema)]),
          ),
        }),
  };
}

export type ApiCall = {
  method: "GET" | "POST";
  /** With the prefix. */
  path: string;
  idempotencyKey?: string;
  /** The header of that name. */
  prefer?: string;
  /** JSON, or a file. */
  body?: object;
};

/** The answer's body; `replayed` is whether it tells of what an earlier request has made. Throws the problem of a refusal. */
export type CallApi = <T>(call: ApiCall) => Promise<{ body: T; replayed: boolean }>;

export type PublicError = components["schemas"]["Error"];

/** Calls `answered` at each answer. */
export function callApi(
  app: FastifyInstance,
  request: FastifyRequest,
  answered: () => void,
): CallApi {
  return async <T>({ method, path, idempotencyKey, prefer, body }: ApiCall) => {
    const isFile = body instanceof Uint8Array;
    const type = isFile ? "application/octet-stream" : "application/json";
    const {
      statusCode,
      headers: answeredHeaders,
      payload,
    } = await app.inject({
      method,
      url: path,
      remoteAddress: request.ip,
      headers: {
        authorization: request.headers.authorization ?? "",
        "request-id": request.id,
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
        ...(prefer === undefined ? {} : { prefer }),
        ...(body === undefined ? {} : { "content-type": type }),
      },
      ...(body === undefined ? {} : { payload: isFile ? Buffer.from(body) : JSON.stringify(body) }),
    });
    answered();
    const answer = JSON.parse(payload) as unknown;
    if (statusCode >= 400) {
      const { error } = answer as { error: PublicError };
      throw new Problem(error.code, { ...error, ...(error.errors && { faults: error.errors }) });
    }
    return { body: answer as T, replayed: answeredHeaders["idempotent-replayed"] === "true" };
  };
}
