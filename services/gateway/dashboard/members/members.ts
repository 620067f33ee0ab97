/** Operations on accounts and their members. */
import { presentWholeList, publicOf } from "../../edge/operations/operation.ts";
import { type RecordChange, recorder, withdrawInvitationsOf } from "../../accounts/recorder.ts";
import { Problem } from "../../edge/http/problem.ts";
import { insertAccount, updateAccount as update } from "../../store/accounts.ts";
import {
  countOwnedAccounts,
  deleteMembership,
  findMember,
  findMembership,
  insertMembership,
  listAccountMembers,
  listOwners,
  type CreatorColumns,
  type MemberRow,
  type MembershipRow,
  OPERATOR,
  setMemberRole,
} from "../../store/memberships.ts";
import { lockUser } from "../../store/users.ts";
import { changeAccount, originOf } from "../session/access.ts";
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
import { revokeKeysOf } from "../../store/api-keys.ts";
import type { Db } from "#runtime/postgres/connect.ts";

export const MAX_OWNED_ACCOUNTS = 10;

export const createAccount: DashboardOperation = (deps) => async (request) => {
  const { name } = request.body as Schemas["NameRequest"];
  const user = userOf(request);
  if (deps.signUp !== "open") throw new Problem("sign_up_closed");
  if (deps.mailer.reachesAddressee && !user.emailVerified) throw new Problem("email_unverified");
  const accountId = await newAccount(deps, user, request.ip, name);
  const membership = await findMembership(deps.sql, accountId, user.id);
  if (!membership) throw new Problem("account_not_found");
  return presentAccount(membership);
};

/** Creates an account with test access that the user owns; returns its id. Throws when the user owns too many. */
export async function newAccount(
  deps: Pick<DashboardDeps, "sql" | "newId" | "clock">,
  user: Pick<SignedInUser, "id" | "email">,
  address: string,
  name: string,
): Promise<string> {
  const accountId = deps.newId("acct");
  const at = deps.clock.now();
  await deps.sql.begin(async (transaction) => {
    await lockUser(transaction, user.id);
    const owned = await countOwnedAccounts(transaction, user.id);
    if (owned >= MAX_OWNED_ACCOUNTS) throw new Problem("too_many_accounts");
    await insertAccount(transaction, accountId, name, at);
    await insertMembership(transaction, accountId, user.id, "owner", at);
    const record = recorder(deps, transaction, accountId, originOf(user, address));
    await record({ action: "account.create", details: { name } });
  });
  return accountId;
}

export const retrieveAccount: DashboardOperation = () => async (request) =>
  presentAccount(membershipOf(request));

export const updateAccount: DashboardOperation = (deps) => async (request) => {
  const { name, confirm_above_tokens: tokens } = request.body as Schemas["AccountChange"];
  const membership = membershipOf(request);
  const row = await changeAccount(deps, request, async (sql, record) => {
    if (name !== undefined) await record({ action: "account.rename", details: { name } });
    if (tokens !== undefined)
      await record({ action: "account.set_confirmation", details: { tokens } });
    const confirmAboveTokens = tokens === undefined ? undefined : tokens || null;
    return update(sql, membership.accountId, { name, confirmAboveTokens });
  });
  return presentAccount({ ...membership, ...row });
};

const MAX_MEMBERS = 1_000;

export const listMembers: DashboardOperation = (deps) => async (request) => {
  const members = await listAccountMembers(deps.sql, membershipOf(request).accountId, MAX_MEMBERS);
  return presentWholeList(members.map(presentMember)) satisfies Schemas["MemberList"];
};

export const updateMember: DashboardOperation = (deps) => async (request) => {
  const { role } = request.body as Schemas["RoleRequest"];
  const { accountId } = membershipOf(request);
  const userId = prefixedPathId(request, "user_id", "usr", "member_not_found");
  if (role === "owner") await reauthenticate(deps, request);
  const member = await changeAccount(deps, request, async (transaction, record) => {
    const owners = await listOwners(transaction, accountId);
    const found = await findMember(transaction, accountId, userId);
    if (!found) throw new Problem("member_not_found");
    if (role !== "owner" && owners.length === 1 && owners[0] === userId) {
      throw new Problem("last_owner");
    }
    await setMemberRole(transaction, accountId, userId, role);
    const details = { email: found.email, from: found.role, to: role };
    await record({ action: "member.change_role", target: userId, details });
    if (role !== "owner")
      await withdrawInvitationsOf({ sql: transaction, record }, accountId, userId);
    return { ...found, role };
  });
  return presentMember(member);
};

export const removeMember: DashboardOperation = (deps) => async (request) => {
  const { accountId } = membershipOf(request);
  const { keys } = request.query as { keys: "keep" | "revoke" };
  const userId = prefixedPathId(request, "user_id", "usr", "member_not_found");
  await changeAccount(deps, request, async (sql, record) => {
    const { email, role } = await endMembership({ sql, record }, accountId, userId);
    await record({ action: "member.remove", target: userId, details: { email, role } });
    if (keys !== "revoke") return;
    for (const { id, mode, name } of await revokeKeysOf(sql, accountId, userId, deps.clock.now())) {
      await record({ action: "key.revoke", target: id, mode, details: { name } });
    }
  });
};

export const leaveAccount: DashboardOperation = (deps) => async (request) => {
  const { accountId, userId } = membershipOf(request);
  await changeAccount(deps, request, async (sql, record) => {
    const { email, role } = await endMembership({ sql, record }, accountId, userId);
    await record({ action: "member.leave", target: userId, details: { email, role } });
  });
};

/**
 * Ends the membership and withdraws the invitations that the member made; returns what the member was. Throws when
 * there is no such member, or when it is the last owner. Only within `changeAccount`, which lets no invitation be made
 * meanwhile.
 */
export async function endMembership(
  { sql, record }: { sql: Db; record: RecordChange },
  accountId: string,
  userId: string,
): Promise<MemberRow> {
  const owners = await listOwners(sql, accountId);
  if (owners.length === 1 && owners[0] === userId) throw new Problem("last_owner");
  const member = await findMember(sql, accountId, userId);
  if (!member) throw new Problem("member_not_found");
  await deleteMembership(sql, accountId, userId);
  await withdrawInvitationsOf({ sql, record }, accountId, userId);
  return member;
}

export function presentAccount(row: MembershipRow): Schemas["Account"] {
  const suspended = row.suspendedAt !== null;
  return { ...publicOf(row), id: row.accountId, object: "account", suspended };
}

function presentMember(row: MemberRow): Schemas["Member"] {
  return { ...publicOf(row), object: "member" };
}

export function presentCreator({ createdBy, creatorName }: CreatorColumns): Schemas["Creator"] {
  if (createdBy === OPERATOR) return { type: "operator" };
  const name = creatorName === null ? {} : { name: creatorName };
  return { type: "user", user_id: createdBy, ...name };
}
