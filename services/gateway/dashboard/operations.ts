/** Maps the operation ids of the dashboard's document to their handlers; some are the public API's. */
import type { operations } from "#gen/openapi/dashboard.ts";
import { listTransactions } from "../edge/operations/balance.ts";
import { createImageGeneration, createVideoGeneration } from "../edge/operations/create.ts";
import { createFile, retrieveFile } from "../edge/operations/files.ts";
import { cancel } from "../edge/operations/generations.ts";
import { listModels } from "../edge/operations/models.ts";
import { redeliverWebhook } from "../edge/operations/webhook-deliveries.ts";
import * as generations from "./generations/generations.ts";
import * as webhooks from "./generations/webhooks.ts";
import * as invitations from "./members/invitations.ts";
import * as keys from "./members/keys.ts";
import * as logs from "./members/logs.ts";
import * as members from "./members/members.ts";
import * as limits from "./money/limits.ts";
import * as transactions from "./money/transactions.ts";
import * as balance from "./money/balance.ts";
import type { DashboardOperation } from "./session/sessions.ts";
import * as factors from "./sign-in/factors.ts";
import * as password from "./sign-in/password.ts";
import * as signIn from "./sign-in/sign-in.ts";
import * as signUp from "./sign-in/sign-up.ts";

export type DashboardDeps = signIn.SignInDeps;

type Operations = Readonly<Record<keyof operations, DashboardOperation<DashboardDeps>>>;

/** Each topic's file exports its operations by their ids. */
export const OPERATIONS: Operations = {
  ...signIn,
  ...signUp,
  ...factors,
  ...password,
  ...members,
  ...invitations,
  ...keys,
  ...logs,
  ...limits,
  ...balance,
  ...transactions,
  ...generations,
  ...webhooks,
  cancelGeneration: cancel("GenerationId"),
  createPlaygroundFile: createFile,
  createPlaygroundImage: createImageGeneration,
  createPlaygroundVideo: createVideoGeneration,
  listAccountModels: listModels,
  listAccountTransactions: listTransactions,
  redeliverDelivery: redeliverWebhook,
  retrieveStoredFile: retrieveFile,
};
