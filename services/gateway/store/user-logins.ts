/** How users sign in; all other queries are the sign-in library's. */
import type { Db } from "#runtime/postgres/connect.ts";

export async function hasPassword(sql: Db, userId: string): Promise<boolean> {
  const rows = await sql`
    select 1 as one from gateway.user_logins
    where user_id = ${userId} and password is not null
    limit 1`;
  return rows.length === 1;
}

/** Whether the user can sign in with the provider. */
export async function hasLogin(sql: Db, userId: string, provider: string): Promise<boolean> {
  const rows = await sql`
    select 1 as one from gateway.user_logins
    where user_id = ${userId} and provider_id = ${provider}
    limit 1`;
  return rows.length === 1;
}

export async function deleteLogin(sql: Db, userId: string, provider: string): Promise<void> {
  await sql`
    delete from gateway.user_logins where user_id = ${userId} and provider_id = ${provider}`;
}
