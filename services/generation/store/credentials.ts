/** Rows of generation.credentials: when each upstream account may be sent the next submit. */
import type { Db } from "#runtime/postgres/connect.ts";

/** Sends nothing to the account before `freeAt`; a later time that is stored already is kept. */
export async function holdCredential(sql: Db, credential: string, freeAt: Date): Promise<void> {
  await sql`
    insert into generation.credentials as c (credential, free_at) values (${credential}, ${freeAt})
    on conflict (credential) do update set free_at = greatest(c.free_at, excluded.free_at)`;
}
