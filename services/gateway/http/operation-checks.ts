/** The document's checks of one operation: headers, query and body, taken from its route's schema. */
import type { FastifyRequest, FastifySchema } from "fastify";
import type { CheckerFor } from "../validation/checker.ts";
import type { Fault, ObjectSchema } from "../validation/faults.ts";
import { queryReader } from "../validation/query.ts";

export type OperationChecks = {
  /** Whether the operation makes something that an Idempotency-Key names. */
  isCreate: boolean;
  hasBody: boolean;
  /** Before the body is read. From here on `request.query` is typed. */
  head: (request: FastifyRequest) => Fault[];
  body: (body: unknown) => Fault[];
};

const IDEMPOTENCY_KEY = "Idempotency-Key";

/** Takes what a request must be out of the schema; what stays is for Fastify to route and to answer by. */
export function takeChecks(schema: FastifySchema, checkerFor: CheckerFor): OperationChecks {
  const headers = (schema.headers ?? {}) as ObjectSchema;
  const query = (schema.querystring ?? { type: "object" }) as ObjectSchema;
  const body = bodySchema(schema.body);
  delete schema.headers;
  delete schema.querystring;
  delete schema.body;
  const names = Object.keys(headers.properties ?? {});
  const checkHeaders = checkerFor("header", headers);
  const checkQuery = checkerFor("query", closed(query));
  const readQuery = queryReader(query);
  return {
    isCreate: names.includes(IDEMPOTENCY_KEY),
    hasBody: body !== undefined,
    head: (request) => {
      request.query = readQuery(request.query);
      return [...checkHeaders(headerValues(request, names)), ...checkQuery(request.query)];
    },
    body: body === undefined ? () => [] : checkerFor("body", body),
  };
}

/** The key of the request, or undefined. Node joins a header that was sent twice with ", ", which no key has. */
export function idempotencyKeyOf(request: FastifyRequest): string | undefined {
  return headerValues(request, [IDEMPOTENCY_KEY])[IDEMPOTENCY_KEY];
}

function headerValues(request: FastifyRequest, names: readonly string[]): Record<string, string> {
  const present = names.flatMap((name) => {
    const value = request.headers[name.toLowerCase()];
    return value === undefined ? [] : [[name, String(value)] as const];
  });
  return Object.fromEntries(present);
}

function closed(schema: ObjectSchema): ObjectSchema {
  return { additionalProperties: false, ...schema } as ObjectSchema;
}

function bodySchema(body: unknown): ObjectSchema | undefined {
  type Content = { content?: Record<string, { schema?: ObjectSchema }> };
  return (body as Content | undefined)?.content?.["application/json"]?.schema;
}
