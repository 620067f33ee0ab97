/** The public API: the document's operations behind authentication and the document's checks, in its order. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import glue from "fastify-openapi-glue";
import { authenticate } from "../accounts/authenticate.ts";
import type { Contract } from "../contract.ts";
import type { Deps } from "../deps.ts";
import { operationHandler } from "../operations/index.ts";
import { Problem, faultyRequest } from "../problem.ts";
import { requestLimiter } from "../rate-limit/limit-request.ts";
import { inDocumentOrder } from "./answer-schema.ts";
import { acceptJson, parseBody } from "./json-body.ts";
import { takeChecks } from "./operation-checks.ts";

export function api(deps: Deps): (app: FastifyInstance) => Promise<void> {
  const { contract } = deps;
  const limitRequest = requestLimiter(deps);
  return async (app) => {
    acceptJson(app, contract.maxBodyBytes);
    app.setNotFoundHandler((request) => {
      throw unknownRoute(contract, request);
    });
    app.addHook("onRoute", (route) => {
      if (!route.schema || route.config?.checks) return;
      route.config = { ...route.config, checks: takeChecks(route.schema, contract.checkerFor) };
      route.schema.response = inDocumentOrder(route.schema.response);
    });
    app.addHook("onRequest", async (request, reply) => {
      request.caller = await authenticate(deps, authorizationOf(request));
      const overLimit = await limitRequest(request, reply);
      if (request.is404) throw unknownRoute(contract, request);
      if (overLimit) throw overLimit;
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
    await app.register(glue, {
      specification: contract.document,
      operationResolver: (operationId) => operationHandler(operationId, deps),
    });
  };
}

/** Of two headers Node would drop the second; together they are no key. */
function authorizationOf({ raw }: FastifyRequest): string | undefined {
  return raw.headersDistinct["authorization"]?.join(", ");
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
