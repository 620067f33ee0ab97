/** What this service itself asks of the users, whom the sign-in library keeps. */
import type { Db } from "#runtime/postgres.ts";

export async function hasPassword(sql: Db, userId: string): Promise<boolean> {
  const rows = await sql`
    select 1 as one from gateway.user_logins
    where user_id = ${userId} and password is not null
    limit 1`;
  return rows.length === 1;
}

/** Takes away a user who was just made and can do nothing yet. */
export async function deleteUser(sql: Db, userId: string): Promise<void> {
  await sql`delete from gateway.users where id = ${userId}`;
}
