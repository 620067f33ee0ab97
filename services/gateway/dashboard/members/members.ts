/** Operations on accounts, their members and invitations to them. */
import { hash } from "node:crypto";
import { DAY_MS, addMs } from "#runtime/clock.ts";
import { randomToken } from "#runtime/id.ts";
import { type Editor, editorOf, withdrawInvitationsOf } from "../../accounts/recorder.ts";
import { Problem } from "../../edge/http/problem.ts";
import { presentPage, publicOf, required } from "../../edge/operations/operation.ts";
import * as store from "../../store/store.ts";
import { changeAccount, originOf } from "../session/access.ts";
import type { DashboardDeps, DashboardOperation, Schemas } from "../session/sessions.ts";
import * as session from "../session/sessions.ts";

export const MAX_OWNED_ACCOUNTS = 10;

type Identity = Pick<session.SignedInUser, "id" | "email">;

export const createAccount: DashboardOperation = async ({ deps, request }) => {
  const { name } = request.body as Schemas["NameRequest"];
  const user = session.userOf(request);
  if (deps.signUp !== "open") throw new Problem("sign_up_closed");
  if (deps.mailer.reachesAddressee && !user.emailVerified) throw new Problem("email_unverified");
  const membership = await newAccount(deps, user, request.ip, name);
  return presentAccount(required(membership));
};

/** Creates an account with test access that the user owns. Throws when the user owns too many. */
export function newAccount(deps: DashboardDeps, user: Identity, address: string, name: string) {
  const accountId = deps.newId("acct");
  const at = deps.clock.now();
  return deps.sql.begin(async (transaction) => {
    await store.lockUser(transaction, user.id);
    const owned = await store.countOwnedAccounts(transaction, user.id);
    if (owned >= MAX_OWNED_ACCOUNTS) throw new Problem("too_many_accounts");
    await store.insertAccount(transaction, accountId, name, at);
    const membership = { accountId, userId: user.id, role: "owner", joinedAt: at } as const;
    await store.insertMembershipIfNew(transaction, membership);
    const { record } = editorOf(deps, transaction, accountId, originOf(user, address));
    await record({ action: "account.create", details: { name } });
    return store.findMembership(transaction, accountId, user.id);
  });
}

export const retrieveAccount: DashboardOperation = async ({ request }) =>
  presentAccount(session.membershipOf(request));

export const updateAccount: DashboardOperation = async (call) => {
  const { name, confirm_above_tokens: tokens } = call.request.body as Schemas["AccountChange"];
  const membership = session.membershipOf(call.request);
  const row = await changeAccount(call, async ({ sql, record }) => {
    if (name !== undefined) await record({ action: "account.rename", details: { name } });
    if (tokens !== undefined)
      await record({ action: "account.set_confirmation", details: { tokens } });
    const confirmAboveTokens = tokens === undefined ? undefined : tokens || null;
    return store.updateAccount(sql, membership.accountId, { name, confirmAboveTokens });
  });
  return presentAccount({ ...membership, ...row });
};

const MAX_MEMBERS = 1_000;

export const listMembers: DashboardOperation = async ({ deps, request }) => {
  const { accountId } = session.membershipOf(request);
  const members = await store.listAccountMembers(deps.sql, accountId, MAX_MEMBERS);
  return presentPage(members.map(presentMember)) satisfies Schemas["MemberList"];
};

export const updateMember: DashboardOperation = async (call) => {
  const { role } = call.request.body as Schemas["RoleRequest"];
  const userId = session.namedInPath(call.request, "user_id", "member_not_found");
  if (role === "owner") await session.reauthenticate(call);
  const member = await changeAccount(call, async (editor) => {
    const { sql, accountId, record } = editor;
    const found = await store.findMember(sql, accountId, userId);
    if (!found) throw new Problem("member_not_found");
    if (role !== "owner" && (await store.isOnlyOwner(sql, accountId, userId))) {
      throw new Problem("last_owner");
    }
    await store.setMemberRole(sql, accountId, userId, role);
    const details = { email: found.email, from: found.role, to: role };
    await record({ action: "member.change_role", target: userId, details });
    if (role !== "owner") await withdrawInvitationsOf(editor, userId);
    return { ...found, role };
  });
  return presentMember(member);
};

export const removeMember: DashboardOperation = async (call) => {
  const { keys } = call.request.query as { keys: "keep" | "revoke" };
  const userId = session.namedInPath(call.request, "user_id", "member_not_found");
  await changeAccount(call, async (editor) => {
    const { sql, accountId, record } = editor;
    await endMembership(editor, userId, "member.remove");
    if (keys !== "revoke") return;
    const revoked = await store.revokeKeysOf(sql, accountId, userId, call.deps.clock.now());
    for (const { id, mode, name } of revoked) {
      await record({ action: "key.revoke", target: id, mode, details: { name } });
    }
  });
};

export const leaveAccount: DashboardOperation = async (call) => {
  const { userId } = session.membershipOf(call.request);
  await changeAccount(call, (editor) => endMembership(editor, userId, "member.leave"));
};

/**
 * Ends the membership and withdraws the invitations that the member made. Only within `changeAccount`, which lets no
 * invitation be made meanwhile.
 */
async function endMembership(
  editor: Editor,
  userId: string,
  action: "member.remove" | "member.leave",
) {
  const { sql, accountId, record } = editor;
  if (await store.isOnlyOwner(sql, accountId, userId)) throw new Problem("last_owner");
  const member = await store.deleteMembership(sql, accountId, userId);
  if (!member) throw new Problem("member_not_found");
  await withdrawInvitationsOf(editor, userId);
  const { email, role } = member;
  await record({ action, target: userId, details: { email, role } });
}

/** The open invitation of a token; 404 when there is none, or it was used, withdrawn or has expired. */
export async function requireOpenInvitation({ sql, clock }: DashboardDeps, token: string) {
  const row = await store.findInvitation(sql, hash("sha256", token, "buffer"), clock.now());
  if (!row) throw new Problem("invitation_not_found");
  return row;
}

export const listInvitations: DashboardOperation = async ({ deps: { sql, clock }, request }) => {
  const { accountId } = session.membershipOf(request);
  const rows = await store.listOpenInvitations(sql, accountId, clock.now(), MAX_INVITATIONS);
  return presentPage(rows.map(presentInvitation)) satisfies Schemas["InvitationList"];
};

const MAX_INVITATIONS = 100;
const VALID_MS = 7 * DAY_MS;

export const createInvitation: DashboardOperation = async (call) => {
  const { deps, request } = call;
  const { sql, clock, newId, mailer, messages } = deps;
  const { role, ...body } = request.body as Schemas["CreateInvitationRequest"];
  const { accountId } = session.membershipOf(request);
  const email = body.email.toLowerCase();
  const createdAt = clock.now();
  const known = await store.findUser(sql, email);
  if (known && (await store.findMember(sql, accountId, known.id)))
    throw new Problem("already_member");
  if (role === "owner") await session.reauthenticate(call);
  const isMailed = mailer.reachesAddressee;
  if (isMailed) await deps.signInAttempts.countMail(email, accountId);
  const token = randomToken();
  const user = session.userOf(request);
  const invitation = {
    accountId,
    id: newId("inv"),
    email,
    role,
    isMailed,
    createdAt,
    expiresAt: addMs(createdAt, VALID_MS),
    createdBy: user.id,
    tokenHash: hash("sha256", token, "buffer"),
  };
  const row = await changeAccount(call, async ({ sql: tx, record }) => {
    const open = await store.listOpenInvitations(tx, accountId, createdAt, MAX_INVITATIONS);
    const isReplacement = open.some((other) => other.email === email);
    if (open.length >= MAX_INVITATIONS && !isReplacement) throw new Problem("too_many_invitations");
    const details = { email, role };
    await record({ action: "invitation.create", target: invitation.id, details });
    return store.replaceInvitation(tx, invitation);
  });
  mailer.send(email, messages.invitation(user.email, token));
  return {
    invitation: presentInvitation(row),
    ...(isMailed ? {} : { url: messages.invitationLink(token) }),
  } satisfies Schemas["CreatedInvitation"];
};

export const withdrawInvitation: DashboardOperation = async (call) => {
  const id = session.namedInPath(call.request, "invitation_id", "invitation_not_found");
  await changeAccount(call, async ({ sql, accountId, record }) => {
    const deleted = await store.deleteInvitation(sql, accountId, id);
    if (!deleted) throw new Problem("invitation_not_found");
    const { email, role } = deleted;
    await record({ action: "invitation.withdraw", target: id, details: { email, role } });
  });
};

export const retrieveInvitation: DashboardOperation = async ({ deps, request }) => {
  const { token } = request.body as Schemas["LinkTokenRequest"];
  return publicOf(await requireOpenInvitation(deps, token)) satisfies Schemas["InvitationPreview"];
};

export const acceptInvitation: DashboardOperation = async ({ deps, request }) => {
  const user = session.userOf(request);
  const { token } = request.body as Schemas["LinkTokenRequest"];
  const invitation = await requireOpenInvitation(deps, token);
  if (invitation.email !== user.email.toLowerCase()) throw new Problem("wrong_invitee");
  const membership = await joinAccount(deps, invitation, user, request.ip);
  if (!membership) throw new Problem("invitation_not_found");
  if (invitation.isMailed) await store.setEmailVerified(deps.sql, user.id);
  return presentAccount(membership);
};

/** Makes the user a member; undefined when the invitation was used or withdrawn in the meantime. */
export function joinAccount(
  deps: Pick<DashboardDeps, "sql" | "newId" | "clock">,
  { accountId, id, role }: Pick<store.InvitationRow, "accountId" | "id" | "role">,
  user: Identity,
  address: string,
) {
  return deps.sql.begin(async (sql) => {
    const deleted = await store.deleteInvitation(sql, accountId, id);
    if (!deleted) return undefined;
    const joinedAt = deps.clock.now();
    await store.insertMembershipIfNew(sql, { accountId, userId: user.id, role, joinedAt });
    const { record } = editorOf(deps, sql, accountId, originOf(user, address));
    await record({ action: "member.join", target: user.id, details: { email: user.email, role } });
    return store.findMembership(sql, accountId, user.id);
  });
}

export function presentAccount(row: store.MembershipRow): Schemas["Account"] {
  const suspended = row.suspendedAt !== null;
  return { ...publicOf(row), id: row.accountId, object: "account", suspended };
}

function presentMember(row: store.MemberRow): Schemas["Member"] {
  return { ...publicOf(row), object: "member" };
}

export function presentCreator({
  createdBy,
  creatorName,
}: store.CreatorColumns): Schemas["Creator"] {
  if (createdBy === store.OPERATOR) return { type: "operator" };
  const name = creatorName === null ? {} : { name: creatorName };
  return { type: "user", user_id: createdBy, ...name };
}

function presentInvitation(row: store.InvitationRow): Schemas["Invitation"] {
  return { ...publicOf(row), object: "invitation", created_by: presentCreator(row) };
}
