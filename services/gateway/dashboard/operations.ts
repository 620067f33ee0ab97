/** Maps the operation ids of the dashboard's document to their handlers; some are the public API's. */
import {
  completeSignIn,
  endOtherSessions,
  endSession,
  linkOidc,
  listSessions,
  retrieveSession,
  signIn,
  type SignInDeps,
  signOut,
  startOidc,
  unlinkOidc,
} from "./sign-in/sign-in.ts";
import type { operations } from "#gen/openapi/dashboard.ts";
import { cancel } from "../edge/operations/generations.ts";
import { createFile, retrieveFile } from "../edge/operations/files.ts";
import { createImageGeneration, createVideoGeneration } from "../edge/operations/create.ts";
import { listModels } from "../edge/operations/models.ts";
import { listTransactions } from "../edge/operations/balance.ts";
import { redeliverWebhook } from "../edge/operations/webhook-deliveries.ts";
import {
  acceptInvitation,
  createInvitation,
  listInvitations,
  retrieveInvitation,
  withdrawInvitation,
} from "./members/invitations.ts";
import {
  beginPasskey,
  beginPasskeySignIn,
  beginSecondFactor,
  confirmSecondFactor,
  createPasskey,
  listPasskeys,
  removePasskey,
  removeSecondFactor,
  renewRecoveryCodes,
  signInWithPasskey,
} from "./sign-in/factors.ts";
import {
  changeEmail,
  changeName,
  changePassword,
  confirmEmail,
  requestPasswordReset,
  resetPassword,
  sendVerification,
} from "./sign-in/password.ts";
import {
  createAccount,
  leaveAccount,
  listMembers,
  removeMember,
  retrieveAccount,
  updateAccount,
  updateMember,
} from "./members/members.ts";
import {
  createApiKey,
  listKeys,
  renameKey,
  revokeKey,
  rollKey,
  setKeyLimits,
  setKeyPermissions,
} from "./members/keys.ts";
import {
  createRequest,
  listRequests,
  retrieveLimits,
  setAlerts,
  setEndUserLimits,
  setLimits,
} from "./money/limits.ts";
import {
  deleteGeneration,
  listGenerations,
  retrieveGeneration,
} from "./generations/generations.ts";
import { listAuditEntries, listRequestLog } from "./members/logs.ts";
import { listBalances, listUsageGroups, retrieveUsage } from "./money/usage.ts";
import {
  downloadCharges,
  downloadTransactions,
  listCharges,
  retrieveStatement,
} from "./money/transactions.ts";
import {
  enableUrl,
  listDeliveries,
  listDisabledUrls,
  retrieveDelivery,
  retrieveWebhookSecret,
  rotateWebhookSecret,
  sendTestEvent,
} from "./generations/webhooks.ts";
import type { DashboardOperation } from "./session/sessions.ts";
import { requestSignUp, signUp } from "./sign-in/sign-up.ts";

export type DashboardDeps = SignInDeps;

type Operation = DashboardOperation<DashboardDeps>;

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  retrieveSession,
  signUp,
  signIn,
  completeSignIn,
  signOut,
  listRequests,
  listSessions,
  endSession,
  endOtherSessions,
  beginPasskeySignIn,
  signInWithPasskey,
  listPasskeys,
  beginPasskey,
  createPasskey,
  removePasskey,
  beginSecondFactor,
  confirmSecondFactor,
  removeSecondFactor,
  renewRecoveryCodes,
  requestSignUp,
  changePassword,
  requestPasswordReset,
  resetPassword,
  changeName,
  changeEmail,
  sendVerification,
  confirmEmail,
  startOidc,
  linkOidc,
  unlinkOidc,
  retrieveInvitation,
  acceptInvitation,
  createAccount,
  retrieveAccount,
  updateAccount,
  leaveAccount,
  listMembers,
  updateMember,
  removeMember,
  listInvitations,
  createInvitation,
  createRequest,
  withdrawInvitation,
  listAuditEntries,
  listRequestLog,
  listKeys,
  createApiKey,
  renameKey,
  revokeKey,
  rollKey,
  setKeyLimits,
  setKeyPermissions,
  listBalances,
  retrieveUsage,
  listAccountModels: listModels,
  listGenerations,
  retrieveGeneration,
  cancelGeneration: cancel("GenerationId"),
  deleteGeneration,
  createPlaygroundFile: createFile,
  retrieveStoredFile: retrieveFile,
  createPlaygroundVideo: createVideoGeneration,
  createPlaygroundImage: createImageGeneration,
  listAccountTransactions: listTransactions,
  retrieveStatement,
  retrieveLimits,
  setEndUserLimits,
  setLimits,
  setAlerts,
  downloadTransactions,
  listCharges,
  downloadCharges,
  listUsageGroups,
  retrieveWebhookSecret,
  rotateWebhookSecret,
  listDeliveries,
  retrieveDelivery,
  redeliverDelivery: redeliverWebhook,
  sendTestEvent,
  listDisabledUrls,
  enableUrl,
} satisfies Record<keyof operations, Operation>;
