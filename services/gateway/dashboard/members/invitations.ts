/** Invitations to an account: their links, and the operations on them. */
import { presentWholeList, publicOf } from "../../edge/operations/operation.ts";
import { hash } from "node:crypto";
import { randomToken } from "#runtime/id.ts";
import { Problem } from "../../edge/http/problem.ts";
import {
  findInvitation,
  listOpenInvitations,
  replaceInvitation,
  deleteInvitation,
  type InvitationRow,
} from "../../store/invitations.ts";
import {
  type DashboardOperation,
  membershipOf,
  prefixedPathId,
  reauthenticate,
  type Schemas,
  type DashboardDeps,
  type SignedInUser,
  userOf,
} from "../session/sessions.ts";
import { presentAccount, presentCreator } from "./members.ts";
import { addMs } from "#runtime/clock.ts";
import { invitationLink } from "../../accounts/mail/messages.ts";
import { isMemberEmail, findMembership, insertMembership } from "../../store/memberships.ts";
import { changeAccount, originOf } from "../session/access.ts";
import { recorder } from "../../accounts/recorder.ts";
import { setEmailVerified } from "../../store/users.ts";

/** The open invitation of a token; 404 when there is none, or it was used, withdrawn or has expired. */
export async function requireOpenInvitation(
  { sql, clock }: Pick<DashboardDeps, "sql" | "clock">,
  token: string,
) {
  const row = await findInvitation(sql, hash("sha256", token), clock.now());
  if (!row) throw new Problem("invitation_not_found");
  return row;
}

export const listInvitations: DashboardOperation =
  ({ sql, clock }) =>
  async (request) => {
    const { accountId } = membershipOf(request);
    const rows = await listOpenInvitations(sql, accountId, clock.now(), MAX_INVITATIONS);
    return presentWholeList(rows.map(presentInvitation)) satisfies Schemas["InvitationList"];
  };

export const MAX_INVITATIONS = 100;
const VALID_MS = 7 * 24 * 60 * 60_000;

export const createInvitation: DashboardOperation = (deps) => async (request) => {
  const { sql, clock, newId, mailer, messages } = deps;
  const { role, ...body } = request.body as Schemas["CreateInvitationRequest"];
  const { accountId } = membershipOf(request);
  const email = body.email.toLowerCase();
  const createdAt = clock.now();
  if (await isMemberEmail(sql, accountId, email)) throw new Problem("already_member");
  if (role === "owner") await reauthenticate(deps, request);
  const isMailed = mailer.reachesAddressee;
  if (isMailed) await deps.signInAttempts.countMail(email, accountId);
  const token = randomToken();
  const tokenHash = hash("sha256", token);
  const expiresAt = addMs(createdAt, VALID_MS);
  const createdBy = userOf(request).id;
  const id = newId("inv");
  const kept = { accountId, id, email, role, isMailed, createdAt, expiresAt, createdBy };
  const row = await changeAccount(deps, request, async (transaction, record) => {
    const open = await listOpenInvitations(transaction, accountId, createdAt, MAX_INVITATIONS);
    const isReplacement = open.some((other) => other.email === email);
    if (open.length >= MAX_INVITATIONS && !isReplacement) throw new Problem("too_many_invitations");
    await record({ action: "invitation.create", target: id, details: { email, role } });
    return replaceInvitation(transaction, { ...kept, tokenHash });
  });
  const created = { invitation: presentInvitation(row) };
  mailer.send(email, messages.invitation(userOf(request).email, token));
  if (isMailed) return created satisfies Schemas["CreatedInvitation"];
  const url = invitationLink(deps.publicUrl(), token);
  return { ...created, url } satisfies Schemas["CreatedInvitation"];
};

export const withdrawInvitation: DashboardOperation = (deps) => async (request) => {
  const { accountId } = membershipOf(request);
  const id = prefixedPathId(request, "invitation_id", "inv", "invitation_not_found");
  await changeAccount(deps, request, async (sql, record) => {
    const deleted = await deleteInvitation(sql, accountId, id);
    if (!deleted) throw new Problem("invitation_not_found");
    const { email, role } = deleted;
    await record({ action: "invitation.withdraw", target: id, details: { email, role } });
  });
};

export const retrieveInvitation: DashboardOperation = (deps) => async (request) => {
  const { token } = request.body as Schemas["LinkTokenRequest"];
  const invitation = await requireOpenInvitation(deps, token);
  return publicOf(invitation) satisfies Schemas["InvitationPreview"];
};

export const acceptInvitation: DashboardOperation = (deps) => async (request) => {
  const user = userOf(request);
  const { token } = request.body as Schemas["LinkTokenRequest"];
  const invitation = await requireOpenInvitation(deps, token);
  if (invitation.email !== user.email.toLowerCase()) throw new Problem("wrong_invitee");
  const hasJoined = await joinAccount(deps, invitation, user, request.ip);
  if (!hasJoined) throw new Problem("invitation_not_found");
  if (invitation.isMailed) await setEmailVerified(deps.sql, user.id);
  const membership = await findMembership(deps.sql, invitation.accountId, user.id);
  if (!membership) throw new Problem("invitation_not_found");
  return presentAccount(membership);
};

/** Makes the user a member; false when the invitation was used or withdrawn in the meantime. */
export function joinAccount(
  deps: Pick<DashboardDeps, "sql" | "newId" | "clock">,
  { accountId, id, role }: Pick<InvitationRow, "accountId" | "id" | "role">,
  user: Pick<SignedInUser, "id" | "email">,
  address: string,
): Promise<boolean> {
  return deps.sql.begin(async (sql) => {
    const deleted = await deleteInvitation(sql, accountId, id);
    if (!deleted) return false;
    await insertMembership(sql, accountId, user.id, role, deps.clock.now());
    const record = recorder(deps, sql, accountId, originOf(user, address));
    await record({ action: "member.join", target: user.id, details: { email: user.email, role } });
    return true;
  });
}

function presentInvitation(row: InvitationRow): Schemas["Invitation"] {
  return { ...publicOf(row), object: "invitation", created_by: presentCreator(row) };
}
