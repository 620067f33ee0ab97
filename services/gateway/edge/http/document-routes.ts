/** Serves the operations of a document: admission first, then the document's checks, in the contract's order. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import fastJsonStringify from "fast-json-stringify";
import type { Fault } from "../validation/checker.ts";
import { pathOf, type Contract } from "./contract.ts";
import { invalidRequest, type Problem } from "./problem.ts";
import { acceptJson, parseBody } from "./json-body.ts";
import { matchedRoute } from "./matched-route.ts";
import { operationsOf } from "./document-operations.ts";
import { nearestRoute, unknownRoute } from "./unknown-route.ts";
import { checksOf } from "./operation-checks.ts";
import { readForm } from "./form.ts";
import { acceptForm, acceptUpload, FORM, formTooLarge, mediaType } from "./upload.ts";
import type { UploadMemory } from "./upload-memory.ts";

export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

export type DocumentRoutes = {
  contract: Contract;
  /** For the files of all documents together. */
  memory: UploadMemory;
  /**
   * Identifies the caller. Throws the problems that take precedence over an unknown route, and returns the problem that
   * is thrown only when the route exists, if any.
   */
  admit: (request: FastifyRequest, reply: FastifyReply) => Promise<Problem | undefined>;
  /** What is meant by a path that another API has, as sentences; the path is that below the prefix. */
  otherApiHint?: (path: string) => string | undefined;
  /** Says more of a body's faults than the document does. */
  explain?: (request: FastifyRequest, body: unknown, faults: Fault[]) => Promise<Fault[]>;
  handlerOf: (operationId: string) => Handler | undefined;
};

/** Registers the routes of a document on `app`. Throws where one has no handler: the gateway then does not start. */
export function documentRoutes(
  app: FastifyInstance,
  { contract, memory, admit, otherApiHint, explain, handlerOf }: DocumentRoutes,
): void {
  acceptJson(app, contract.maxBodyBytes);
  // Made with the first answer, as the checks are with the first request.
  app.setSerializerCompiler(({ schema }) => {
    let serialize: ((answer: unknown) => string) | undefined;
    return (answer) => (serialize ??= fastJsonStringify(schema as object))(answer);
  });
  const hintOf = (url: string) => {
    const path = pathOf(url).slice(contract.prefix.length);
    const other = otherApiHint?.(path);
    if (other !== undefined) return other;
    const nearest = nearestRoute(Object.keys(contract.document.paths), contract.prefix, path);
    return (
      nearest &&
      `Did you mean ${contract.prefix}${nearest}? Correct the path, or the base URL of your client.`
    );
  };
  const unknown = ({ method, url }: FastifyRequest) =>
    unknownRoute(method, contract.routeAt(url)?.methods ?? [], () => hintOf(url));
  app.setNotFoundHandler((request) => {
    throw unknown(request);
  });
  app.addHook("onRequest", async (request, reply) => {
    const refused = await admit(request, reply);
    if (matchedRoute(request) === undefined) throw unknown(request);
    if (refused) throw refused;
    const { checks } = request.routeOptions.config;
    const faults = checks?.head(request) ?? [];
    if (faults.length > 0) throw invalidRequest(faults);
    // An operation without a body accepts and ignores any body, whatever its content type.
    if (!checks?.hasBody && !checks?.isUpload && !checks?.form) {
      request.headers["content-type"] = "application/json";
    }
  });
  app.addHook("preValidation", async (request) => {
    const { checks } = request.routeOptions.config;
    if (checks?.form && (mediaType(request) === FORM || !checks.hasBody)) {
      const { read, maxBytes } = checks.form;
      const limit = { maxBytes, tooLarge: formTooLarge, maxParts: 64, remedy: "Send less." };
      const parts = mediaType(request) === FORM ? await readForm(request, limit) : [];
      request.body = read(parts);
    } else if (checks?.hasBody) {
      const body = parseBody(request.body);
      const faults = checks.body(body);
      if (faults.length > 0) {
        throw invalidRequest(explain ? await explain(request, body, faults) : faults);
      }
      request.body = withoutNulls(body as object);
    }
    request.isChecked = true;
  });
  for (const operation of operationsOf(contract.document)) {
    const { id, upload } = operation;
    const handler = handlerOf(id);
    if (!handler) throw new Error(`no handler for the document's operation ${id}`);
    const route = {
      method: operation.method,
      url: operation.url,
      schema: { response: inDocumentOrder(operation.response) },
      config: { checks: checksOf(operation, contract.checkerFor), operationId: id },
      handler,
    };
    if (!upload && !operation.form) app.route(route);
    else {
      // These have a scope of their own: the parsers of content types belong to a scope, not to a route.
      void app.register(async (scope) => {
        if (upload) acceptUpload(scope, upload, memory);
        else acceptForm(scope, operation, { maxJsonBytes: contract.maxBodyBytes, memory });
        scope.route(route);
      });
    }
  }
}

/** Null for an optional field means absent; the document allows null in no other field. */
function withoutNulls(body: object): object {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

/**
 * The response schema without its lists of required fields: Fastify's serializer writes required fields first, out of
 * the document's order. The operations' types ensure that no required field is missing.
 */
function inDocumentOrder(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(inDocumentOrder);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(
    // A property may be named "required"; its value is a schema, not a list.
    ([name, value]) => name !== "required" || !Array.isArray(value),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, inDocumentOrder(value)]));
}
