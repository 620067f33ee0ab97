/** The public API: the document's operations with their handlers, authentication by API key and rate limits. */
import type { FastifyInstance } from "fastify";
import type { operations } from "#gen/openapi/media.ts";
import { limitLoad } from "./http/app-hooks.ts";
import { documentRoutes } from "./http/document-routes.ts";
import { Problem } from "./http/problem.ts";
import { listTransactions, retrieveBalance, retrieveUsage } from "./operations/balance.ts";
import { createImageGeneration, createVideoGeneration } from "./operations/create.ts";
import type { Deps } from "./operations/deps.ts";
import { createFile, deleteFile, listFiles, retrieveFile } from "./operations/files.ts";
import {
  cancelImageGeneration,
  cancelVideoGeneration,
  deleteImageGeneration,
  deleteVideoGeneration,
  listImageGenerations,
  listVideoGenerations,
  retrieveImageGeneration,
  retrieveVideoGeneration,
} from "./operations/generations.ts";
import { listModels, retrieveModel, withModelValues } from "./operations/models.ts";
import { admitByKey, type Operation } from "./operations/operation.ts";
import { listRequests } from "./operations/requests.ts";
import {
  listWebhookDeliveries,
  redeliverWebhook,
  retrieveWebhookDelivery,
} from "./operations/webhook-deliveries.ts";

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

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  createVideoGeneration,
  retrieveVideoGeneration,
  listVideoGenerations,
  cancelVideoGeneration,
  deleteVideoGeneration,
  createImageGeneration,
  retrieveImageGeneration,
  cancelImageGeneration,
  deleteImageGeneration,
  listImageGenerations,
  createFile,
  listFiles,
  retrieveFile,
  deleteFile,
  listModels,
  retrieveModel,
  retrieveBalance,
  retrieveUsage,
  listTransactions,
  listRequests,
  listWebhookDeliveries,
  retrieveWebhookDelivery,
  redeliverWebhook,
} satisfies Partial<Record<keyof operations, Operation>>;
