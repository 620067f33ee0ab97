/** The gateway's own queries on users; all others are the sign-in library's. */
import type { Db, Sql } from "#runtime/postgres/connect.ts";
import { deletePasskeys } from "./user-logins.ts";

/** Whether the e-mail, in lower case, is a user's. */
export async function hasUser(sql: Db, email: string): Promise<boolean> {
  const rows = await sql`select 1 as one from gateway.users where email = ${email}`;
  return rows.length === 1;
}

export async function findUserName(sql: Db, userId: string): Promise<string | null> {
  const [row] = await sql<{ name: string }[]>`
    select name from gateway.users where id = ${userId}`;
  return row?.name ?? null;
}

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

/** Whoever has opened a mail to the user's address has proved it. */
export async function setEmailVerified(sql: Db, userId: string): Promise<void> {
  await sql`
    update gateway.users set email_verified = true
    where id = ${userId} and not email_verified`;
}

/** Verifies the address. Somebody else may have signed up with it before, so other ways to sign in are deleted. */
export async function takeOverUnverified(sql: Sql, userId: string): Promise<void> {
  await sql.begin(async (transaction) => {
    const rows = await transaction`
      update gateway.users set email_verified = true
      where id = ${userId} and not email_verified
      returning id`;
    if (rows.length === 0) return;
    await transaction`
      delete from gateway.user_logins where user_id = ${userId} and provider_id <> 'credential'`;
    await deleteSecondFactor(transaction, userId);
    await deletePasskeys(transaction, userId);
  });
}

export async function findUserId(sql: Db, email: string): Promise<string | undefined> {
  const [row] = await sql<{ id: string }[]>`select id from gateway.users where email = ${email}`;
  return row?.id;
}

export type UserRow = {
  id: string;
  email: string;
  name: string;
  secondFactor: boolean;
  createdAt: Date;
  disabledAt: Date | null;
  accountIds: string[];
};

export function listUsers(
  sql: Db,
  page: { after: string | undefined; accountId: string | undefined; limit: number },
): Promise<UserRow[]> {
  const { after = "", accountId, limit } = page;
  return sql<UserRow[]>`
    select u.id, u.email, u.name, coalesce(u.two_factor_enabled, false) as second_factor, u.created_at, u.disabled_at,
      array(select m.account_id from gateway.memberships m where m.user_id = u.id order by m.account_id) as account_ids
    from gateway.users u
    where u.id > ${after}
      ${accountId === undefined ? sql`` : sql`and u.id in (select user_id from gateway.memberships where account_id = ${accountId})`}
    order by u.id
    limit ${limit}`;
}

/** Disables the user at `at`, unless that happened before, or enables them. */
export async function setDisabled(sql: Db, userId: string, at: Date | null): Promise<void> {
  await sql`
    update gateway.users
    set disabled_at = case when ${at}::timestamptz is null then null else coalesce(disabled_at, ${at}) end
    where id = ${userId}`;
}

/** The user then signs in with the password alone. */
export async function deleteSecondFactor(sql: Db, userId: string): Promise<void> {
  await sql`update gateway.users set two_factor_enabled = false where id = ${userId}`;
  await sql`delete from gateway.second_factors where user_id = ${userId}`;
}
