/** The public API: the document's operations with their handlers, authentication by API key and rate limits. */
import type { FastifyInstance } from "fastify";
import type { operations } from "#gen/openapi/media.ts";
import { limitLoad } from "./http/app-hooks.ts";
import { documentRoutes } from "./http/document-routes.ts";
import { Problem } from "./http/problem.ts";
import { BASE_URL, isByOpenai } from "./http/unknown-route.ts";
import * as balance from "./operations/balance.ts";
import * as create from "./operations/create.ts";
import type { Deps } from "./operations/deps.ts";
import * as files from "./operations/files.ts";
import * as generations from "./operations/generations.ts";
import * as models from "./operations/models.ts";
import { admitByKey, type Operation } from "./operations/operation.ts";
import * as requests from "./operations/requests.ts";
import * as webhookDeliveries from "./operations/webhook-deliveries.ts";

export function api(deps: Deps): (app: FastifyInstance) => Promise<void> {
  const admit = admitByKey(deps);
  return async (app) => {
    limitLoad(app, deps.loadLimits("api"), ({ caller }) => caller?.accountId);
    documentRoutes(app, {
      contract: deps.contract,
      deps,
      admit: async (request, reply) => {
        const refused = await admit(request, reply);
        // It would be charged for an answer that it cannot read.
        const { checks } = request.routeOptions.config;
        if (checks?.isCreate && isByOpenai(request))
          throw new Problem("invalid_value", { message: BASE_URL });
        return refused;
      },
      explain: models.withModelValues,
      operations: OPERATIONS,
    });
  };
}

type Event = { parameters: { header: { "webhook-id": string } } };
type OperationId = {
  [Id in keyof operations]: operations[Id] extends Event ? never : Id;
}[keyof operations];

/** Each noun's file exports its operations by their ids. */
const OPERATIONS: Readonly<Record<OperationId, Operation>> = {
  ...balance,
  ...create,
  ...files,
  ...generations,
  ...models,
  ...requests,
  ...webhookDeliveries,
};
