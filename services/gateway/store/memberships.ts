/** The members of accounts, and the names of those who created something. */
import type { components } from "#gen/openapi/dashboard.ts";
import { first, type Db } from "#runtime/postgres/connect.ts";
import { accountColumns, type AccountRow } from "./accounts.ts";

export type Role = components["schemas"]["Role"];

/** Of an account with its member. */
export type MembershipRow = AccountRow & { userId: string; role: Role };

export type MemberRow = { userId: string; name: string; email: string; role: Role; joinedAt: Date };

const membershipsWhere = (sql: Db) => sql`
  select m.user_id, m.role, ${accountColumns(sql)}
  from gateway.memberships m join gateway.accounts a using (account_id)
  where `;

/** A disabled user has none. */
export function findMembership(sql: Db, accountId: string, userId: string) {
  return first(sql<MembershipRow[]>`
    ${membershipsWhere(sql)} account_id = ${accountId} and m.user_id = ${userId}
      and exists (select from gateway.users u where u.id = m.user_id and u.disabled_at is null)`);
}

export function listMemberships(sql: Db, userId: string): Promise<MembershipRow[]> {
  return sql<MembershipRow[]>`
    ${membershipsWhere(sql)} m.user_id = ${userId}
    order by m.joined_at, account_id
    limit 100`;
}

export async function listAccountIdsOf(sql: Db, userId: string): Promise<string[]> {
  const rows = await sql<{ accountId: string }[]>`
    select account_id from gateway.memberships where user_id = ${userId} order by account_id`;
  return rows.map(({ accountId }) => accountId);
}

export type NewMembership = Omit<MemberRow, "name" | "email"> & { accountId: string };

/** Makes the user a member. Who is one keeps their role. */
export async function insertMembershipIfNew(sql: Db, membership: NewMembership): Promise<void> {
  await sql`
    insert into gateway.memberships ${sql(membership)} on conflict (account_id, user_id) do nothing`;
}

const membersOf = (sql: Db, accountId: string) => sql`
  select m.user_id, u.name, u.email, m.role, m.joined_at
  from gateway.memberships m join gateway.users u on u.id = m.user_id
  where m.account_id = ${accountId}`;

export function listAccountMembers(sql: Db, accountId: string, limit: number) {
  return sql<MemberRow[]>`
    ${membersOf(sql, accountId)} order by m.joined_at, m.user_id limit ${limit}`;
}

export function findMember(sql: Db, accountId: string, userId: string) {
  return first(sql<MemberRow[]>`
    ${membersOf(sql, accountId)} and m.user_id = ${userId}`);
}

/** Whether the user owns the account and nobody else does; deleted users do not count. */
export async function isOnlyOwner(sql: Db, accountId: string, userId: string): Promise<boolean> {
  const owners = await sql<{ userId: string }[]>`
    select m.user_id from gateway.memberships m join gateway.users u on u.id = m.user_id
    where m.account_id = ${accountId} and m.role = 'owner' and u.deleted_at is null`;
  return owners.length === 1 && owners[0]?.userId === userId;
}

export async function setMemberRole(sql: Db, accountId: string, userId: string, role: Role) {
  await sql`
    update gateway.memberships set role = ${role}
    where account_id = ${accountId} and user_id = ${userId}`;
}

/** What the member was; undefined where the user is none. */
export function deleteMembership(sql: Db, accountId: string, userId: string) {
  return first(sql<Pick<MemberRow, "email" | "role">[]>`
    delete from gateway.memberships m using gateway.users u
    where m.account_id = ${accountId} and m.user_id = ${userId} and u.id = m.user_id
    returning u.email, m.role`);
}

export async function countOwnedAccounts(sql: Db, userId: string): Promise<number> {
  const rows = await sql`
    select 1 as one from gateway.memberships
    where user_id = ${userId} and role = 'owner'
    limit 100`;
  return rows.length;
}

export type CreatorColumns = {
  /** A user's id, or "operator". */
  createdBy: string;
  /** The user's name; null when there is no such user. */
  creatorName: string | null;
};

/** What is stored for an operator instead of a user's id. */
export const OPERATOR = "operator";

export function creatorName(sql: Db) {
  return sql`(select u.name from gateway.users u where u.id = created_by) as creator_name`;
}
