/** The ways in which users sign in: logins and passkeys. */
import type { Db } from "#runtime/postgres/connect.ts";

export async function hasPassword(sql: Db, userId: string): Promise<boolean> {
  const rows = await sql`
    select 1 as one from gateway.user_logins
    where user_id = ${userId} and password is not null
    limit 1`;
  return rows.length === 1;
}

export async function hasLogin(sql: Db, userId: string, provider: string): Promise<boolean> {
  const rows = await sql`
    select 1 as one from gateway.user_logins
    where user_id = ${userId} and provider_id = ${provider}
    limit 1`;
  return rows.length === 1;
}

/** The user's e-mail if there is another login besides this one. */
export async function emailIfSignsInOtherwise(
  sql: Db,
  userId: string,
  loginId: string,
): Promise<string | undefined> {
  const [row] = await sql<{ email: string }[]>`
    select u.email from gateway.users u join gateway.user_logins l on l.user_id = u.id
    where u.id = ${userId} and l.id <> ${loginId}
    limit 1`;
  return row?.email;
}

/** False when the user has no such login. */
export async function deleteLogin(sql: Db, userId: string, provider: string): Promise<boolean> {
  const rows = await sql`
    delete from gateway.user_logins
    where user_id = ${userId} and provider_id = ${provider}
    returning id`;
  return rows.length > 0;
}

export type PasskeyRow = { id: string; name: string | null; createdAt: Date };

export function listPasskeys(sql: Db, userId: string, limit: number): Promise<PasskeyRow[]> {
  return sql<PasskeyRow[]>`
    select id, name, created_at from gateway.passkeys
    where user_id = ${userId}
    order by created_at, id
    limit ${limit}`;
}

/** False when the user has no such passkey. */
export async function deletePasskey(sql: Db, userId: string, id: string): Promise<boolean> {
  const rows = await sql`
    delete from gateway.passkeys where user_id = ${userId} and id = ${id} returning id`;
  return rows.length === 1;
}

export async function deletePasskeys(sql: Db, userId: string): Promise<void> {
  await sql`delete from gateway.passkeys where user_id = ${userId}`;
}
