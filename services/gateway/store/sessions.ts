/** The gateway's own queries on sessions; all others are the sign-in library's. */
import type { Db } from "#runtime/postgres/connect.ts";

export type SessionRow = {
  id: string;
  userAgent: string | null;
  createdAt: Date;
  expiresAt: Date;
};

const COLUMNS = [
  "id",
  "userAgent",
  "createdAt",
  "expiresAt",
] as const satisfies (keyof SessionRow)[];

/** The user's sessions that have not ended, newest first. */
export function listSessions(
  sql: Db,
  userId: string,
  at: Date,
  limit: number,
): Promise<SessionRow[]> {
  return sql<SessionRow[]>`
    select ${sql(COLUMNS)} from gateway.sessions
    where user_id = ${userId} and expires_at > ${at}
    order by created_at desc, id
    limit ${limit}`;
}

/** False when the user has no such session. */
export async function deleteSession(sql: Db, userId: string, id: string): Promise<boolean> {
  const rows = await sql`
    delete from gateway.sessions where user_id = ${userId} and id = ${id} returning id`;
  return rows.length === 1;
}

/** Ends the user's sessions except `keptId`; returns how many. */
export async function deleteSessions(sql: Db, userId: string, keptId?: string): Promise<number> {
  const rows = await sql`
    delete from gateway.sessions
    where user_id = ${userId} and id is distinct from ${keptId ?? null}
    returning id`;
  return rows.length;
}

/** Ends the session with this secret token. */
export async function deleteSessionOf(sql: Db, token: string): Promise<void> {
  await sql`delete from gateway.sessions where token = ${token}`;
}
