/** Open invitations to accounts; only the hash of a link's token is stored. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { Role } from "./memberships.ts";

export type InvitationRow = {
  accountId: string;
  id: string;
  email: string;
  role: Role;
  createdAt: Date;
  expiresAt: Date;
};

export type NewInvitation = {
  accountId: string;
  id: string;
  email: string;
  role: Role;
  /** SHA-256 of the token, in hex. */
  tokenHash: string;
  at: Date;
  expiresAt: Date;
};

const COLUMNS = [
  "accountId",
  "id",
  "email",
  "role",
  "createdAt",
  "expiresAt",
] as const satisfies (keyof InvitationRow)[];

/** Stores the invitation and deletes an earlier one of the same e-mail to the same account. */
export async function replaceInvitation(
  sql: Db,
  invitation: NewInvitation,
): Promise<InvitationRow> {
  await sql`
    delete from gateway.invitations
    where account_id = ${invitation.accountId} and email = ${invitation.email}`;
  const [row] = await sql<InvitationRow[]>`
    insert into gateway.invitations
      (account_id, id, email, role, token_hash, created_at, expires_at)
    values (${invitation.accountId}, ${invitation.id}, ${invitation.email}, ${invitation.role},
      decode(${invitation.tokenHash}, 'hex'), ${invitation.at}, ${invitation.expiresAt})
    returning ${sql(COLUMNS)}`;
  if (!row) throw new Error("insert into gateway.invitations returned no row");
  return row;
}

/** The open invitation with this token hash (hex), and its account's name. */
export async function findInvitation(
  sql: Db,
  tokenHash: string,
  at: Date,
): Promise<(InvitationRow & { accountName: string }) | undefined> {
  const columns = COLUMNS.map((column) => `i.${column}`);
  const [row] = await sql<(InvitationRow & { accountName: string })[]>`
    select ${sql(columns)}, a.name as account_name
    from gateway.invitations i join gateway.accounts a using (account_id)
    where i.token_hash = decode(${tokenHash}, 'hex') and i.expires_at > ${at}`;
  return row;
}

/** Newest first. */
export function listOpenInvitations(
  sql: Db,
  accountId: string,
  at: Date,
  limit: number,
): Promise<InvitationRow[]> {
  return sql<InvitationRow[]>`
    select ${sql(COLUMNS)} from gateway.invitations
    where account_id = ${accountId} and expires_at > ${at}
    order by created_at desc, id desc
    limit ${limit}`;
}

/** Whether an open invitation for this e-mail exists, in any account. */
export async function hasInvitation(sql: Db, email: string, at: Date): Promise<boolean> {
  const rows = await sql`
    select 1 as one from gateway.invitations
    where email = ${email} and expires_at > ${at}
    limit 1`;
  return rows.length === 1;
}

/** True for the one call that deleted it. */
export async function deleteInvitation(sql: Db, accountId: string, id: string): Promise<boolean> {
  const rows = await sql`
    delete from gateway.invitations
    where account_id = ${accountId} and id = ${id}
    returning id`;
  return rows.length === 1;
}
