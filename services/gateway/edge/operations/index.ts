/** Maps the document's operation ids to their handlers. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { operations } from "#gen/openapi/media.ts";
import type { Deps } from "./deps.ts";
import { cancelImageGeneration, cancelVideoGeneration } from "./cancel-generation.ts";
import { createFile, deleteFile, retrieveFile } from "./files.ts";
import { createImageGeneration } from "./create-image-generation.ts";
import { createVideoGeneration } from "./create-video-generation.ts";
import { deleteImageGeneration, deleteVideoGeneration } from "./delete-generation.ts";
import { listImageGenerations, listVideoGenerations } from "./list-generations.ts";
import { listRequests } from "./list-requests.ts";
import { listModels, retrieveModel } from "./models.ts";
import { listTransactions, retrieveBalance } from "./balance.ts";
import {
  listWebhookDeliveries,
  redeliverWebhook,
  retrieveWebhookDelivery,
} from "./webhook-deliveries.ts";
import type { Operation } from "./operation.ts";
import { retrieveImageGeneration, retrieveVideoGeneration } from "./retrieve-generation.ts";
import { retrieveUsage } from "./retrieve-usage.ts";

const OPERATIONS = {
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

/** Throws when no handler exists for an operation of the document: the gateway then does not start. */
export function operationHandler(
  operationId: string,
  deps: Deps,
): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> {
  const operation = new Map<string, Operation>(Object.entries(OPERATIONS)).get(operationId);
  if (!operation) throw new Error(`no handler for the document's operation ${operationId}`);
  return operation(deps);
}
