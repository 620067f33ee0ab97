/** The gateway's own queries on users and on the ways in which they sign in. */
import { first, type Db, type Sql } from "#runtime/postgres/connect.ts";

export type NewUser = { id: string; name: string; email: string; passwordHash: string; at: Date };

/** Creates a user who signs in with a password. Returns false when the e-mail is already taken. */
export async function insertUserIfNew(sql: Db, user: NewUser): Promise<boolean> {
  const rows = await sql`
    insert into gateway.users (id, name, email, email_verified, created_at, updated_at)
    values (${user.id}, ${user.name}, ${user.email}, false, ${user.at}, ${user.at})
    on conflict (email) do nothing
    returning id`;
  if (rows.length === 0) return false;
  await sql`
    insert into gateway.user_logins
      (id, user_id, provider_id, provider_user_id, password, created_at, updated_at)
    values (${user.id}, ${user.id}, 'credential', ${user.id}, ${user.passwordHash}, ${user.at}, ${user.at})`;
  return true;
}

/** Until the end of the transaction no other counts what this one counts of the user. */
export async function lockUser(sql: Db, userId: string): Promise<void> {
  await sql`select 1 as one from gateway.users where id = ${userId} for no key update`;
}

/** Whoever has opened a mail to the user's address has proved it. False when it was proved before. */
export async function setEmailVerified(sql: Db, userId: string): Promise<boolean> {
  const { count } = await sql`
    update gateway.users set email_verified = true where id = ${userId} and not email_verified`;
  return count === 1;
}

/** Verifies the address. Somebody else may have signed up with it before, so other ways to sign in are deleted. */
export async function takeOverUnverified(sql: Sql, userId: string): Promise<void> {
  await sql.begin(async (transaction) => {
    if (!(await setEmailVerified(transaction, userId))) return;
    await transaction`
      delete from gateway.user_logins where user_id = ${userId} and provider_id <> 'credential'`;
    await deleteSecondFactorAndPasskeys(transaction, userId);
  });
}

/**
 * Ends links that set the user's password, and sign-ins that wait for a second factor: once the password or the address is
 * another, they belong to whoever had the one before.
 */
export async function endPasswordLinks(sql: Db, userId: string): Promise<void> {
  await sql`delete from gateway.verifications where value = ${userId}`;
}

/** By e-mail, in lower case, or by id. */
export function findUser(sql: Db, emailOrId: string) {
  return first(sql<{ id: string; email: string; name: string }[]>`
    select id, email, name from gateway.users where email = ${emailOrId} or id = ${emailOrId}`);
}

export type UserRow = {
  id: string;
  email: string;
  name: string;
  secondFactor: boolean;
  createdAt: Date;
  disabledAt: Date | null;
  deletedAt: Date | null;
  accountIds: string[];
};

export function listUsers(
  sql: Db,
  page: { after: string | undefined; accountId: string | undefined; limit: number },
): Promise<UserRow[]> {
  const { after = "", accountId, limit } = page;
  return sql<UserRow[]>`
    select u.id, u.email, u.name, coalesce(u.two_factor_enabled, false) as second_factor, u.created_at, u.disabled_at, u.deleted_at,
      array(select m.account_id from gateway.memberships m where m.user_id = u.id order by m.account_id) as account_ids
    from gateway.users u
    where u.id > ${after}
      ${accountId === undefined ? sql`` : sql`and u.id in (select user_id from gateway.memberships where account_id = ${accountId})`}
    order by u.id
    limit ${limit}`;
}

/** Disables the user at `at`, unless that happened before, or enables them. False for a deleted user, who stays disabled. */
export async function setDisabled(sql: Db, userId: string, at: Date | null): Promise<boolean> {
  const result = await sql`
    update gateway.users
    set disabled_at = case when ${at}::timestamptz is null then null else coalesce(disabled_at, ${at}) end
    where id = ${userId} and deleted_at is null`;
  return result.count === 1;
}

/** Answers when the deletion was asked for, which is now unless it was before. Until it is undone the user is disabled. */
export async function setDeleted(sql: Db, userId: string, at: Date) {
  const [row] = await sql<[{ deletedAt: Date }]>`
    update gateway.users
    set deleted_at = coalesce(deleted_at, ${at}), disabled_at = coalesce(disabled_at, ${at})
    where id = ${userId}
    returning deleted_at`;
  return row;
}

/** Undoes a deletion that was asked for after a time; who was disabled before stays so. False if it was asked for before. */
export async function restoreIfDeletedAfter(sql: Db, userId: string, after: Date) {
  const result = await sql`
    update gateway.users
    set deleted_at = null, disabled_at = nullif(disabled_at, deleted_at)
    where id = ${userId} and (deleted_at is null or deleted_at > ${after})`;
  return result.count === 1;
}

/** Up to `limit` users who were deleted before a time, the first first. */
export async function listUsersToErase(sql: Db, deletedBefore: Date, limit: number) {
  const rows = await sql<{ id: string }[]>`
    select id from gateway.users
    where deleted_at < ${deletedBefore}
    order by deleted_at limit ${limit}`;
  return rows.map(({ id }) => id);
}

/** The last entry of an audit log that was looked at. */
export type ForgottenUpTo = { accountId: string; id: string };

/** Takes a deleted user's name out of a page of entries; undefined after the last page. */
export function forgetUser(sql: Db, userId: string, after: ForgottenUpTo, limit: number) {
  return first(sql<ForgottenUpTo[]>`
    select account_id, id from gateway.forget_user(${userId}, ${after.accountId}, ${after.id}, ${limit})`);
}

/** And all that belongs to the user: logins, passkeys, sessions, memberships, and invitations to the address. */
export async function deleteUserIfDeleted(sql: Db, userId: string): Promise<void> {
  await sql`
    with gone as (
      delete from gateway.users where id = ${userId} and deleted_at is not null returning email
    ), invited as (
      delete from gateway.invitations i using gone where i.email = gone.email
    )
    delete from gateway.verifications v using gone
    where strpos(v.value, ${userId}) > 0 or strpos(v.value, gone.email) > 0 or strpos(v.identifier, gone.email) > 0`;
}

/** The user then signs in with the password alone. */
export async function deleteSecondFactor(sql: Db, userId: string): Promise<void> {
  await sql`update gateway.users set two_factor_enabled = false where id = ${userId}`;
  await sql`delete from gateway.second_factors where user_id = ${userId}`;
}

export async function deleteSecondFactorAndPasskeys(sql: Db, userId: string): Promise<void> {
  await deleteSecondFactor(sql, userId);
  await sql`delete from gateway.passkeys where user_id = ${userId}`;
}

/** The ways in which the user signs in: "password", and an identity provider's id for each login there. */
export async function loginsOf(sql: Db, userId: string): Promise<string[]> {
  const rows = await sql<{ login: string }[]>`
    select case when password is null then provider_id else 'password' end as login
    from gateway.user_logins where user_id = ${userId}`;
  return rows.map(({ login }) => login);
}

export async function deleteLogin(sql: Db, userId: string, provider: string): Promise<boolean> {
  const { count } = await sql`
    delete from gateway.user_logins where user_id = ${userId} and provider_id = ${provider}`;
  return count > 0;
}
