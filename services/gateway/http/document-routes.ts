/** Serves a document's operations behind who may call them and the document's checks, in the contract's order. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import glue from "fastify-openapi-glue";
import type { Contract } from "../contract.ts";
import { Problem, faultyRequest } from "../problem.ts";
import { inDocumentOrder } from "./answer-schema.ts";
import { acceptJson, parseBody } from "./json-body.ts";
import { takeChecks } from "./operation-checks.ts";

export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

export type DocumentRoutes = {
  contract: Contract;
  /**
   * Finds out who calls. Throws what comes before the route's own checks, and answers with the problem that stands
   * behind an unknown route, where there is one.
   */
  admit: (request: FastifyRequest, reply: FastifyReply) => Promise<Problem | undefined>;
  /** Throws where nothing serves the operation: the gateway then does not start. */
  handlerOf: (operationId: string) => Handler;
};

export async function documentRoutes(
  app: FastifyInstance,
  { contract, admit, handlerOf }: DocumentRoutes,
): Promise<void> {
  acceptJson(app, contract.maxBodyBytes);
  app.setNotFoundHandler((request) => {
    throw unknownRoute(contract, request);
  });
  app.addHook("onRoute", (route) => {
    if (!route.schema || route.config?.checks) return;
    const { operationId } = route.schema as { operationId?: string };
    const checks = takeChecks(route.schema, contract.checkerFor);
    route.config = {
      ...route.config,
      checks,
      ...(operationId === undefined ? {} : { operationId }),
    };
    route.schema.response = inDocumentOrder(route.schema.response);
  });
  app.addHook("onRequest", async (request, reply) => {
    const refused = await admit(request, reply);
    if (request.is404) throw unknownRoute(contract, request);
    if (refused) throw refused;
    const { checks } = request.routeOptions.config;
    const faults = checks?.head(request) ?? [];
    if (faults.length > 0) throw faultyRequest(faults);
    // A body that the operation does not have is read and not looked at, whatever its type.
    if (!checks?.hasBody) request.headers["content-type"] = "application/json";
  });
  app.addHook("preValidation", async (request) => {
    const { checks } = request.routeOptions.config;
    if (checks?.hasBody) {
      const body = parseBody(request.body);
      const faults = checks.body(body);
      if (faults.length > 0) throw faultyRequest(faults);
      request.body = withoutNulls(body as object);
    }
    request.isChecked = true;
  });
  await app.register(glue, { specification: contract.document, operationResolver: handlerOf });
}

/** Null for an optional field means that it is absent; the document lets no other field be null. */
function withoutNulls(body: object): object {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

function unknownRoute(contract: Contract, request: FastifyRequest): Problem {
  const methods = contract.methodsOf(request.url);
  if (methods.length === 0) return new Problem("route_not_found");
  const allowed = methods.join(", ");
  return new Problem("method_not_allowed", {
    message: `This path does not have ${request.method}. Use ${methods[0]}.`,
    headers: { Allow: allowed },
  });
}
