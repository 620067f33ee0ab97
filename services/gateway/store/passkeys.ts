/** The gateway's own queries on passkeys; all others are the sign-in library's. */
import type { Db } from "#runtime/postgres/connect.ts";

export type PasskeyRow = { id: string; name: string | null; createdAt: Date };

const COLUMNS = ["id", "name", "createdAt"] as const satisfies (keyof PasskeyRow)[];

/** The user's passkeys, oldest first. */
export function listPasskeys(sql: Db, userId: string, limit: number): Promise<PasskeyRow[]> {
  return sql<PasskeyRow[]>`
    select ${sql(COLUMNS)} from gateway.passkeys
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
