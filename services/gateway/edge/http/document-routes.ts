/** Serves the operations of a document: admission first, then the document's checks, in the contract's order. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import fastJsonStringify from "fast-json-stringify";
import type { Fault, CheckerFor, ObjectSchema } from "../validation/checker.ts";
import { isDecodable } from "../../domain/requests.ts";
import { FORM_TYPE, operationsOf, type Contract, type DocumentOperation } from "./contract.ts";
import { invalidRequest, type Problem } from "./problem.ts";
import { acceptJson, parseBody, type UploadMemory } from "./json-body.ts";
import { matchedRoute } from "./app-hooks.ts";
import { requirePermission } from "./authenticate.ts";
import type { Call } from "./request-state.ts";
import { acceptForm, formReader, mediaType } from "./upload.ts";

/** Handles a request that is permitted and valid under the document; errors are thrown as problems. */
export type Operation<Deps> = (call: Call<Deps>) => Promise<unknown>;

export type DocumentRoutes<Deps> = {
  contract: Contract;
  /** `uploads` are the files of all documents together. */
  deps: Deps & { uploads: UploadMemory };
  /** Throws problems that precede an unknown route; returns the problem that only an existing route answers. */
  admit: (request: FastifyRequest, reply: FastifyReply) => Promise<Problem | undefined>;
  /** Says more of a body's faults than the document does. */
  explain?: (call: Call<Deps>, body: unknown, faults: Fault[]) => Promise<Fault[]>;
  /** By their ids. */
  operations: Readonly<Record<string, Operation<Deps>>>;
};

/** Registers the routes of a document on `app`. Throws where one has no operation: the gateway then does not start. */
export function documentRoutes<Deps>(
  app: FastifyInstance,
  { contract, deps, admit, explain, operations }: DocumentRoutes<Deps>,
): void {
  app.removeAllContentTypeParsers();
  acceptJson(app, contract.maxBodyBytes);
  // Made with the first answer, as the checks are with the first request; equal schemas share one.
  const made = new Map<string, Serialize>();
  const serializerFor = (schema: string) => {
    const serialize = made.get(schema) ?? fastJsonStringify(JSON.parse(schema) as object);
    made.set(schema, serialize);
    return serialize;
  };
  app.setSerializerCompiler(({ schema }) => {
    let serialize: Serialize | undefined;
    return (answer) => (serialize ??= serializerFor(inDocumentOrder(schema)))(answer);
  });
  app.setNotFoundHandler((request) => {
    throw app.unknownRoute(request, contract.prefix);
  });
  app.addHook("onRequest", async (request, reply) => {
    const refused = await admit(request, reply);
    if (matchedRoute(request) === undefined) throw app.unknownRoute(request, contract.prefix);
    if (refused) throw refused;
    const { checks } = request.routeOptions.config;
    const faults = checks?.head(request) ?? [];
    if (faults.length > 0) throw invalidRequest(faults);
    // An operation without a body accepts and ignores any body, whatever its content type.
    if (!checks?.hasBody && !checks?.form) request.headers["content-type"] = "application/json";
  });
  app.addHook("preValidation", async (request, reply) => {
    const { checks } = request.routeOptions.config;
    if (checks?.form && (mediaType(request) === FORM_TYPE || !checks.hasBody)) {
      request.body = await checks.form(request);
    } else if (checks?.hasBody) {
      const body = parseBody(request.body);
      const faults = checks.body(body);
      if (faults.length > 0) {
        throw invalidRequest(
          explain ? await explain({ deps, request, reply }, body, faults) : faults,
        );
      }
      // Null for an optional field means absent; the document allows null in no other field.
      const given = Object.entries(body as object).filter(([, value]) => value !== null);
      request.body = Object.fromEntries(given);
    }
    // The body may have taken minutes.
    if (request.body !== undefined) await request.admitAgain?.();
    request.isChecked = true;
    requirePermission(request);
    if (checks) void reply.code(checks.status);
  });
  for (const operation of operationsOf(contract.document)) {
    const { id, form, body, maxJsonBytes = contract.maxBodyBytes } = operation;
    const run = operations[id];
    if (!run) throw new Error(`the document's operation ${id} is not implemented`);
    const route = {
      method: operation.method,
      url: operation.url,
      schema: { response: operation.responses },
      config: { checks: checksOf(operation, contract.checkerFor), operationId: id },
      handler: (request: FastifyRequest, reply: FastifyReply) => run({ deps, request, reply }),
    };
    if (form) {
      // It has a scope of its own: the parsers of content types belong to a scope, not to a route.
      void app.register(async (scope) => {
        acceptForm(scope, form, { maxJsonBytes: body && maxJsonBytes, memory: deps.uploads });
        scope.route(route);
      });
    } else app.route(route);
  }
}

type Serialize = (answer: unknown) => string;

/** The schema as text. Serializers write required fields first, so the lists of required fields are left out. */
function inDocumentOrder(schema: unknown): string {
  return JSON.stringify(schema, (name, value: unknown) =>
    // A property may be named "required"; its value is a schema, not a list.
    name === "required" && Array.isArray(value) ? undefined : value,
  );
}

declare module "fastify" {
  interface FastifyContextConfig {
    checks?: ReturnType<typeof checksOf>;
  }
}

const NOT_UTF8 = "The query has a % that begins no character of UTF-8. Write % as %25.";
/** Not "0x5", "1e1" or " 5", of which Number makes integers too. */
const DIGITS = /^-?\d+$/;
const CLOSED = { additionalProperties: false };

function checksOf(
  { headers, query, body, form, status }: DocumentOperation,
  checkerFor: CheckerFor,
) {
  const names = Object.keys(headers.properties ?? {});
  const checkHeaders = checkerFor("header", headers);
  // For the message about a parameter that is a field of the body.
  const fields = Object.keys(body?.properties ?? {});
  const parameters = Object.entries(query.properties as Record<string, { type?: string }>);
  const integers = parameters.filter(([, { type }]) => type === "integer");
  const checkQuery = checkerFor("query", { ...query, ...CLOSED, "x-body": fields } as ObjectSchema);
  return {
    isCreate: names.includes("Idempotency-Key"),
    /** Whether the body may be JSON. */
    hasBody: body !== undefined,
    status,
    /** Checks headers and query, before the body is read. Gives `request.query` the document's types and defaults. */
    head: (request: FastifyRequest): Fault[] => {
      const asked: Record<string, unknown> = { ...(request.query as object) };
      for (const [name] of integers)
        if (DIGITS.test(String(asked[name]))) asked[name] = Number(asked[name]);
      request.query = asked;
      const sent = names.map((name) => [name, request.headers[name.toLowerCase()]?.toString()]);
      const faults = [...checkHeaders(Object.fromEntries(sent)), ...checkQuery(request.query)];
      if (faults.length > 0 || isDecodable(request.url)) return faults;
      return [{ code: "invalid_value", message: NOT_UTF8 }];
    },
    body: body === undefined ? (): Fault[] => [] : checkerFor("body", body),
    form: form && formReader(form, checkerFor("body", { ...CLOSED, ...form.schema })),
  };
}

/** The request's Idempotency-Key. Node joins a repeated header with ", ", which is not a valid key. */
export function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  return headers["idempotency-key"]?.toString();
}
