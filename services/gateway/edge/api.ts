/** The public API: the document's operations, with authentication by API key and rate limits. */
import type { FastifyInstance } from "fastify";
import { admitByKey } from "./operations/admission.ts";
import type { Deps } from "./operations/deps.ts";
import { withModelValues } from "./operations/model-values.ts";
import { OPERATIONS } from "./operations/index.ts";
import { keepToPermissions } from "./http/key-permissions.ts";
import { documentRoutes } from "./http/document-routes.ts";
import { limitLoad } from "./http/load-limit.ts";
import { otherApiHint } from "./http/other-apis.ts";

export function api(deps: Deps): (app: FastifyInstance) => Promise<void> {
  return async (app) => {
    limitLoad(app, {
      limitOf: ({ routeOptions }) => deps.loadLimits(routeOptions.config.operationId ?? "unknown"),
    });
    keepToPermissions(app);
    documentRoutes(app, {
      contract: deps.contract,
      memory: deps.uploads,
      admit: admitByKey(deps),
      otherApiHint,
      explain: (request, body, faults) => withModelValues(deps, request, body, faults),
      handlerOf: (operationId) => OPERATIONS[operationId]?.(deps),
    });
  };
}
