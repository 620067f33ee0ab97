/** The public API: the document's operations, with authentication by API key and rate limits. */
import type { FastifyInstance } from "fastify";
import { Problem } from "./http/problem.ts";
import { admitByKey } from "./operations/operation.ts";
import type { Deps } from "./operations/deps.ts";
import { withModelValues } from "./operations/models.ts";
import { OPERATIONS } from "./operations/index.ts";
import { documentRoutes } from "./http/document-routes.ts";
import { limitLoad } from "./http/app-hooks.ts";

/** OpenAI's own clients send it. */
const OPENAI_HEADER = "x-stainless-lang";

export function api(deps: Deps): (app: FastifyInstance) => Promise<void> {
  const admit = admitByKey(deps);
  return async (app) => {
    limitLoad(app, deps.loadLimits("api"), ({ caller }) => caller?.accountId);
    documentRoutes(app, {
      contract: deps.contract,
      memory: deps.uploads,
      admit: async (request, reply) => {
        const refused = await admit(request, reply);
        // It would be charged for an answer that it cannot read.
        const { checks } = request.routeOptions.config;
        if (checks?.isCreate && request.headers[OPENAI_HEADER] !== undefined) {
          throw forOpenai(deps.publicUrl());
        }
        return refused;
      },
      explain: (request, body, faults) => withModelValues(deps, request, body, faults),
      handlerOf: (operationId) => OPERATIONS[operationId]?.(deps),
    });
  };
}

function forOpenai(publicUrl: string): Problem {
  return new Problem("invalid_value", {
    param: OPENAI_HEADER,
    message: `OpenAI's clients need the base URL ${publicUrl}/openai/v1. Correct that of your client.`,
  });
}
