/** createInvitation: POST /accounts/{account_id}/invitations. */
import { addMs } from "#runtime/clock.ts";
import { presentInvitation } from "../../presenters/invitation.ts";
import { Problem } from "../../problem.ts";
import { listOpenInvitations, replaceInvitation } from "../../store/invitations.ts";
import { isMemberEmail } from "../../store/memberships.ts";
import { changeAccount } from "../change-account.ts";
import { hashInvitationToken, newInvitationToken } from "../invitations.ts";
import { membershipOf, userOf } from "../request-state.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const MAX_INVITATIONS = 100;
const VALID_MS = 7 * 24 * 60 * 60_000;

export const createInvitation: DashboardOperation = (deps) => async (request, reply) => {
  const { sql, clock, newId, mailer, messages } = deps;
  const { email: requestedEmail, role } = request.body as Schemas["CreateInvitationRequest"];
  const { accountId } = membershipOf(request);
  const email = requestedEmail.toLowerCase();
  const at = clock.now();
  if (await isMemberEmail(sql, accountId, email)) throw new Problem("already_member");
  if (mailer.reachesAddressee) await deps.signInAttempts.countMail(email, accountId);
  const token = newInvitationToken(mailer.reachesAddressee);
  const tokenHash = hashInvitationToken(token);
  const expiresAt = addMs(at, VALID_MS);
  const createdBy = userOf(request).id;
  const id = newId("inv");
  const invitation = { accountId, id, email, role, tokenHash, at, expiresAt, createdBy };
  const row = await changeAccount(deps, request, async (transaction, record) => {
    const open = await listOpenInvitations(transaction, accountId, at, MAX_INVITATIONS);
    const isReplacement = open.some((other) => other.email === email);
    if (open.length >= MAX_INVITATIONS && !isReplacement) throw new Problem("too_many_invitations");
    await record({ action: "invitation.create", target: id, details: { email, role } });
    return replaceInvitation(transaction, invitation);
  });
  void reply.code(201);
  const created = { invitation: presentInvitation(row) };
  if (mailer.reachesAddressee) {
    mailer.send(email, messages.invitation(userOf(request).email, token));
    return created satisfies Schemas["CreatedInvitation"];
  }
  const url = `${deps.publicUrl()}/dashboard/invitations/${token}`;
  return { ...created, url } satisfies Schemas["CreatedInvitation"];
};
