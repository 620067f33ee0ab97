/** Maps the document's operation ids to their handlers. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { operations } from "#gen/openapi/media.ts";
import type { Deps } from "../deps.ts";
import { cancelVideoGeneration } from "./cancel-video-generation.ts";
import { createFile } from "./create-file.ts";
import { createImageGeneration } from "./create-image-generation.ts";
import { createVideoGeneration } from "./create-video-generation.ts";
import { deleteFile } from "./delete-file.ts";
import { deleteImageGeneration } from "./delete-image-generation.ts";
import { deleteVideoGeneration } from "./delete-video-generation.ts";
import { listImageGenerations } from "./list-image-generations.ts";
import { listModels } from "./list-models.ts";
import { listTransactions } from "./list-transactions.ts";
import { listVideoGenerations } from "./list-video-generations.ts";
import { listWebhookDeliveries } from "./list-webhook-deliveries.ts";
import type { Operation } from "./operation.ts";
import { redeliverWebhook } from "./redeliver-webhook.ts";
import { retrieveBalance } from "./retrieve-balance.ts";
import { retrieveFile } from "./retrieve-file.ts";
import { retrieveImageGeneration } from "./retrieve-image-generation.ts";
import { retrieveModel } from "./retrieve-model.ts";
import { retrieveUsage } from "./retrieve-usage.ts";
import { retrieveVideoGeneration } from "./retrieve-video-generation.ts";
import { retrieveWebhookDelivery } from "./retrieve-webhook-delivery.ts";

const OPERATIONS = {
  createVideoGeneration,
  retrieveVideoGeneration,
  listVideoGenerations,
  cancelVideoGeneration,
  deleteVideoGeneration,
  createImageGeneration,
  retrieveImageGeneration,
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
