/** The checks of one operation by the document: headers, query and body. */
import type { FastifyRequest } from "fastify";
import {
  queryReader,
  type Checker,
  type CheckerFor,
  type Fault,
  type ObjectSchema,
} from "../validation/checker.ts";
import type { DocumentOperation } from "./document-operations.ts";
import { formReader, type FormReader } from "./form.ts";

export type OperationChecks = {
  /** Whether the operation accepts an Idempotency-Key. */
  isCreate: boolean;
  hasBody: boolean;
  /** Whether the body is a file, of which `hasBody` says nothing. */
  isUpload: boolean;
  /** Checks headers and query, before the body is read. Replaces `request.query`: the document's types and defaults. */
  head: (request: FastifyRequest) => Fault[];
  body: Checker;
  /** Undefined unless the operation takes a form. */
  form: { read: FormReader; maxBytes: number } | undefined;
};

const IDEMPOTENCY_KEY = "Idempotency-Key";

export function checksOf(
  { headers, query, body, form, upload }: DocumentOperation,
  checkerFor: CheckerFor,
): OperationChecks {
  const names = Object.keys(headers.properties ?? {});
  const checkHeaders = checkerFor("header", headers);
  const checkQuery = checkerFor("query", closed(query));
  const readQuery = queryReader(query);
  return {
    isCreate: names.includes(IDEMPOTENCY_KEY),
    hasBody: body !== undefined,
    isUpload: upload !== undefined,
    head: (request) => {
      request.query = readQuery(request.query);
      return [...checkHeaders(headerValues(request, names)), ...checkQuery(request.query)];
    },
    body: body === undefined ? () => [] : checkerFor("body", body),
    form: form && {
      read: formReader(form.schema, checkerFor("body", form.schema)),
      maxBytes: form.maxBytes,
    },
  };
}

/** The request's Idempotency-Key. Node joins a repeated header with ", ", which is not a valid key. */
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
