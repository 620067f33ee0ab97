/** The public API: the document's operations, with authentication by API key and rate limits. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { authenticate } from "../accounts/authenticate.ts";
import type { Deps } from "../deps.ts";
import { operationHandler } from "../operations/index.ts";
import { requestLimiter } from "../rate-limit/limit-request.ts";
import { documentRoutes } from "./document-routes.ts";
import { limitLoad } from "./load-limit.ts";

export function api(deps: Deps): (app: FastifyInstance) => Promise<void> {
  const limitRequest = requestLimiter(deps);
  return async (app) => {
    limitLoad(app, deps.loadLimits);
    documentRoutes(app, {
      contract: deps.contract,
      admit: async (request, reply) => {
        request.caller = await authenticate(deps, authorizationOf(request));
        return limitRequest(request, reply);
      },
      handlerOf: (operationId) => operationHandler(operationId, deps),
    });
  };
}

/** Joins repeated headers, which makes them an invalid key; Node would silently drop the second. */
function authorizationOf({ raw }: FastifyRequest): string | undefined {
  return raw.headersDistinct["authorization"]?.join(", ");
}
