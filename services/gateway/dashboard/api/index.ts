/** Maps the operation ids of the dashboard's document to their handlers; some are the public API's. */
import type { operations } from "#gen/openapi/dashboard.ts";
import type { Handler } from "../../http/document-routes.ts";
import { cancelVideoGeneration } from "../../operations/cancel-video-generation.ts";
import { createFile } from "../../operations/create-file.ts";
import { createImageGeneration } from "../../operations/create-image-generation.ts";
import { createVideoGeneration } from "../../operations/create-video-generation.ts";
import { listModels } from "../../operations/list-models.ts";
import { listTransactions } from "../../operations/list-transactions.ts";
import { listWebhookDeliveries } from "../../operations/list-webhook-deliveries.ts";
import { redeliverWebhook } from "../../operations/redeliver-webhook.ts";
import type { DashboardDeps } from "../deps.ts";
import { acceptInvitation } from "./accept-invitation.ts";
import { beginPasskeySignIn } from "./begin-passkey-sign-in.ts";
import { beginPasskey } from "./begin-passkey.ts";
import { beginSecondFactor } from "./begin-second-factor.ts";
import { changeEmail } from "./change-email.ts";
import { changePassword } from "./change-password.ts";
import { completeSignIn } from "./complete-sign-in.ts";
import { confirmEmail } from "./confirm-email.ts";
import { confirmSecondFactor } from "./confirm-second-factor.ts";
import { createAccount } from "./create-account.ts";
import { createApiKey } from "./create-api-key.ts";
import { createRequest } from "./create-request.ts";
import { createInvitation } from "./create-invitation.ts";
import { createPasskey } from "./create-passkey.ts";
import { deleteGeneration } from "./delete-generation.ts";
import { downloadAuditLog } from "./download-audit-log.ts";
import { downloadCharges } from "./download-charges.ts";
import { downloadTransactions } from "./download-transactions.ts";
import { enableUrl } from "./enable-url.ts";
import { endOtherSessions } from "./end-other-sessions.ts";
import { endSession } from "./end-session.ts";
import { leaveAccount } from "./leave-account.ts";
import { linkOidc } from "./link-oidc.ts";
import { listAuditEntries } from "./list-audit-entries.ts";
import { listBalances } from "./list-balances.ts";
import { listDisabledUrls } from "./list-disabled-urls.ts";
import { listGenerations } from "./list-generations.ts";
import { listInvitations } from "./list-invitations.ts";
import { listCharges } from "./list-charges.ts";
import { listKeyUsage } from "./list-key-usage.ts";
import { listKeys } from "./list-keys.ts";
import { listMembers } from "./list-members.ts";
import { listPasskeys } from "./list-passkeys.ts";
import { listRequests } from "./list-requests.ts";
import { listSessions } from "./list-sessions.ts";
import type { DashboardOperation } from "./operation.ts";
import { removeMember } from "./remove-member.ts";
import { removePasskey } from "./remove-passkey.ts";
import { removeSecondFactor } from "./remove-second-factor.ts";
import { renameKey } from "./rename-key.ts";
import { renewRecoveryCodes } from "./renew-recovery-codes.ts";
import { requestPasswordReset } from "./request-password-reset.ts";
import { requestSignUp } from "./request-sign-up.ts";
import { resetPassword } from "./reset-password.ts";
import { retrieveAccount } from "./retrieve-account.ts";
import { retrieveDelivery } from "./retrieve-delivery.ts";
import { retrieveGeneration } from "./retrieve-generation.ts";
import { retrieveInvitation } from "./retrieve-invitation.ts";
import { retrieveLimits } from "./retrieve-limits.ts";
import { retrieveSession } from "./retrieve-session.ts";
import { retrieveStatement } from "./retrieve-statement.ts";
import { retrieveUsage } from "./retrieve-usage.ts";
import { retrieveWebhookSecret } from "./retrieve-webhook-secret.ts";
import { revokeKey } from "./revoke-key.ts";
import { rotateWebhookSecret } from "./rotate-webhook-secret.ts";
import { sendTestEvent } from "./send-test-event.ts";
import { sendVerification } from "./send-verification.ts";
import { setAlerts } from "./set-alerts.ts";
import { setKeyLimits } from "./set-key-limits.ts";
import { setLimits } from "./set-limits.ts";
import { signInWithPasskey } from "./sign-in-with-passkey.ts";
import { signIn } from "./sign-in.ts";
import { signOut } from "./sign-out.ts";
import { signUp } from "./sign-up.ts";
import { startOidc } from "./start-oidc.ts";
import { streamEvents } from "./stream-events.ts";
import { unlinkOidc } from "./unlink-oidc.ts";
import { updateAccount } from "./update-account.ts";
import { updateMember } from "./update-member.ts";
import { withdrawInvitation } from "./withdraw-invitation.ts";

const OPERATIONS = {
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
  downloadAuditLog,
  listKeys,
  createApiKey,
  renameKey,
  revokeKey,
  setKeyLimits,
  listBalances,
  retrieveUsage,
  listAccountModels: listModels,
  listGenerations,
  retrieveGeneration,
  deleteGeneration,
  createPlaygroundFile: createFile,
  createPlaygroundVideo: createVideoGeneration,
  cancelPlaygroundVideo: cancelVideoGeneration,
  createPlaygroundImage: createImageGeneration,
  listAccountTransactions: listTransactions,
  retrieveStatement,
  retrieveLimits,
  setLimits,
  setAlerts,
  downloadTransactions,
  listCharges,
  downloadCharges,
  listKeyUsage,
  retrieveWebhookSecret,
  rotateWebhookSecret,
  listDeliveries: listWebhookDeliveries,
  retrieveDelivery,
  redeliverDelivery: redeliverWebhook,
  sendTestEvent,
  listDisabledUrls,
  enableUrl,
  streamEvents,
} satisfies Record<keyof operations, DashboardOperation>;

/** Throws when no handler exists for an operation of the document: the gateway then does not start. */
export function dashboardHandler(operationId: string, deps: DashboardDeps): Handler {
  const operation = new Map<string, DashboardOperation>(Object.entries(OPERATIONS)).get(
    operationId,
  );
  if (!operation) throw new Error(`no handler for the document's operation ${operationId}`);
  return operation(deps);
}
