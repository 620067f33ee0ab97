/** Maps the document's operation ids to their handlers. */
import type { operations } from "#gen/openapi/media.ts";
import { cancelImageGeneration, cancelVideoGeneration } from "./cancel-generation.ts";
import { createFile, deleteFile, listFiles, retrieveFile } from "./files.ts";
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
