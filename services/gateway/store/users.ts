/** The gateway's own queries on users; all others are the sign-in library's. */
import type { Db } from "#runtime/postgres/connect.ts";

export async function hasPassword(sql: Db, userId: string): Promise<boolean> {
  const rows = await sql`
    select 1 as one from gateway.user_logins
    where user_id = ${userId} and password is not null
    limit 1`;
  return rows.length === 1;
}

/** Null when there is no such user. */
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
