/** Open invitations to accounts; only the hash of a link's token is stored. */
import { first, type Db } from "#runtime/postgres/connect.ts";
import { type CreatorColumns, creatorName, type Role } from "./memberships.ts";

export type InvitationRow = {
  accountId: string;
  id: string;
  email: string;
  role: Role;
  /** Whether its link proves the address of whoever has it. */
  isMailed: boolean;
  createdAt: Date;
  expiresAt: Date;
} & CreatorColumns;

export type NewInvitation = Omit<InvitationRow, "creatorName"> & {
  /** SHA-256 of the token. */
  tokenHash: Buffer;
};

const columns = (sql: Db) => sql`
  account_id, id, email, role, is_mailed, created_at, expires_at, created_by, ${creatorName(sql)}`;

/** Stores the invitation and deletes an earlier one of the same e-mail to the same account. */
export async function replaceInvitation(sql: Db, invitation: NewInvitation) {
  await sql`
    delete from gateway.invitations
    where account_id = ${invitation.accountId} and email = ${invitation.email}`;
  const [row] = await sql<[InvitationRow]>`
    insert into gateway.invitations ${sql(invitation)} returning ${columns(sql)}`;
  return row;
}

export function findInvitation(sql: Db, tokenHash: Buffer, at: Date) {
  return first(sql<(InvitationRow & { accountName: string })[]>`
    select ${columns(sql)},
      (select a.name from gateway.accounts a where a.account_id = i.account_id) as account_name
    from gateway.invitations i
    where token_hash = ${tokenHash} and expires_at > ${at}`);
}

export function listOpenInvitations(sql: Db, accountId: string, at: Date, limit: number) {
  return sql<InvitationRow[]>`
    select ${columns(sql)} from gateway.invitations
    where account_id = ${accountId} and expires_at > ${at}
    order by created_at desc, id desc
    limit ${limit}`;
}

export async function hasInvitation(sql: Db, email: string, at: Date): Promise<boolean> {
  const rows = await sql`
    select 1 as one from gateway.invitations
    where email = ${email} and expires_at > ${at}
    limit 1`;
  return rows.length === 1;
}

export type DeletedInvitation = Pick<InvitationRow, "accountId" | "id" | "email" | "role">;

/** The invitation, for the one call that deleted it. */
export function deleteInvitation(sql: Db, accountId: string, id: string) {
  return first(sql<DeletedInvitation[]>`
    delete from gateway.invitations
    where account_id = ${accountId} and id = ${id}
    returning account_id, id, email, role`);
}

export function deleteInvitationsOf(sql: Db, accountId: string, userId: string) {
  return sql<DeletedInvitation[]>`
    delete from gateway.invitations
    where account_id = ${accountId} and created_by = ${userId}
    returning account_id, id, email, role`;
}

export function deleteExpiredInvitations(sql: Db, at: Date, limit: number) {
  return sql<DeletedInvitation[]>`
    delete from gateway.invitations where (account_id, id) in
      (select account_id, id from gateway.invitations where expires_at < ${at} limit ${limit})
    returning account_id, id, email, role`;
}
