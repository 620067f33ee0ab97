/** Maps the operation ids of the dashboard's document to their handlers; some are the public API's. */
import type { operations } from "#gen/openapi/dashboard.ts";
import { cancel } from "../edge/operations/cancel-generation.ts";
import { createFile, retrieveFile } from "../edge/operations/files.ts";
import { createImageGeneration } from "../edge/operations/create-image-generation.ts";
import { createVideoGeneration } from "../edge/operations/create-video-generation.ts";
import { listModels } from "../edge/operations/models.ts";
import { listTransactions } from "../edge/operations/balance.ts";
import { redeliverWebhook } from "../edge/operations/webhook-deliveries.ts";
import type { DashboardDeps } from "./deps.ts";
import {
  acceptInvitation,
  createInvitation,
  listInvitations,
  retrieveInvitation,
  withdrawInvitation,
} from "./members/invitations.ts";
import {
  beginPasskeySignIn,
  beginPasskey,
  createPasskey,
  listPasskeys,
  removePasskey,
  signInWithPasskey,
} from "./sign-in/passkeys.ts";
import {
  beginSecondFactor,
  confirmSecondFactor,
  removeSecondFactor,
  renewRecoveryCodes,
} from "./sign-in/second-factor.ts";
import { changeName } from "./sign-in/name.ts";
import { changeEmail, confirmEmail, sendVerification } from "./sign-in/email.ts";
import { changePassword, requestPasswordReset, resetPassword } from "./sign-in/set-password.ts";
import { completeSignIn, signIn, signOut } from "./sign-in/sign-in.ts";
import { createAccount, retrieveAccount, updateAccount } from "./members/account.ts";
import {
  createApiKey,
  listKeys,
  renameKey,
  revokeKey,
  rollKey,
  setKeyLimits,
  setKeyPermissions,
} from "./members/keys.ts";
import { createRequest, listRequests } from "./money/requests.ts";
import {
  deleteGeneration,
  listGenerations,
  retrieveGeneration,
} from "./generations/generations.ts";
import { listAuditEntries } from "./members/audit-log.ts";
import { listRequestLog } from "./members/request-log.ts";
import { listUsageGroups } from "./money/usage-groups.ts";
import { downloadCharges, listCharges } from "./money/charges.ts";
import { downloadTransactions, retrieveStatement } from "./money/transactions.ts";
import {
  enableUrl,
  listDeliveries,
  listDisabledUrls,
  retrieveDelivery,
  retrieveWebhookSecret,
  rotateWebhookSecret,
  sendTestEvent,
} from "./generations/webhooks.ts";
import { endOtherSessions, endSession, listSessions, retrieveSession } from "./sign-in/sessions.ts";
import { leaveAccount, listMembers, removeMember, updateMember } from "./members/members.ts";
import { linkOidc, startOidc, unlinkOidc } from "./sign-in/oidc.ts";
import { listBalances, retrieveUsage } from "./money/balances.ts";
import type { DashboardOperation } from "./session/operation.ts";
import { requestSignUp, signUp } from "./sign-in/sign-up.ts";
import { retrieveLimits, setAlerts, setEndUserLimits, setLimits } from "./money/limits.ts";

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
