/** Maps the document's operation ids to their handlers. */
import type { operations } from "#gen/openapi/media.ts";
import {
  cancelImageGeneration,
  cancelVideoGeneration,
  deleteImageGeneration,
  deleteVideoGeneration,
  listImageGenerations,
  listVideoGenerations,
  retrieveImageGeneration,
  retrieveVideoGeneration,
} from "./generations.ts";
import { createFile, deleteFile, listFiles, retrieveFile } from "./files.ts";
import { createImageGeneration, createVideoGeneration } from "./create.ts";
import { listRequests } from "./requests.ts";
import { listModels, retrieveModel } from "./models.ts";
import { listTransactions, retrieveBalance } from "./balance.ts";
import {
  listWebhookDeliveries,
  redeliverWebhook,
  retrieveWebhookDelivery,
} from "./webhook-deliveries.ts";
import type { Operation } from "./operation.ts";
import { retrieveUsage } from "./usage.ts";

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
