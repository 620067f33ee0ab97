/** The public API: the document's operations, with authentication by API key and rate limits. */
import type { FastifyInstance } from "fastify";
import { authenticate } from "./http/authenticate.ts";
import type { Deps } from "./operations/deps.ts";
import { operationHandler } from "./operations/index.ts";
import { requestLimiter } from "./rate-limit/limit-request.ts";
import { documentRoutes } from "./http/document-routes.ts";
import { limitLoad } from "./http/load-limit.ts";

export function api(deps: Deps): (app: FastifyInstance) => Promise<void> {
  const limitRequest = requestLimiter(deps);
  return async (app) => {
    limitLoad(app, {
      limitOf: ({ routeOptions }) => deps.loadLimits(routeOptions.config.operationId ?? "unknown"),
    });
    documentRoutes(app, {
      contract: deps.contract,
      admit: async (request, reply) => {
        request.caller = await authenticate(deps, request);
        request.presence?.belongTo(request.caller.accountId);
        return limitRequest(request, reply);
      },
      handlerOf: (operationId) => operationHandler(operationId, deps),
    });
  };
}
