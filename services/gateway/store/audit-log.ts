/** The audit log of accounts: who changed what. Entries are never changed, but for an erasure. */
import type { components } from "#gen/openapi/dashboard.ts";
import type { ModeName } from "#vocabulary/names.ts";
import type { Bounds } from "../domain/time.ts";
import { first, type Db } from "#runtime/postgres/connect.ts";

export type AuditAction = components["schemas"]["AuditAction"];
export type ActorType = components["schemas"]["AuditActorType"];

export type AuditRow = {
  id: string;
  at: Date;
  actor: ActorType;
  /** Null unless the actor is a user. */
  userId: string | null;
  email: string | null;
  action: AuditAction;
  target: string | null;
  mode: ModeName | null;
  address: string | null;
  details: Record<string, string>;
  error: string | null;
};

export async function insertAuditEntry(sql: Db, accountId: string, row: AuditRow): Promise<void> {
  const values = { ...row, accountId, details: sql.json(row.details) };
  await sql`insert into gateway.audit_log ${sql(values)}`;
}

export type AuditFilter = Partial<Bounds> & {
  action?: AuditAction | undefined;
  actor?: ActorType | undefined;
};

/** The last entry of a page. */
export type AuditCursor = Pick<AuditRow, "at" | "id">;

export function listAuditEntries(
  sql: Db,
  accountId: string,
  { action, actor, after, before }: AuditFilter,
  { from, limit }: { from: AuditCursor | undefined; limit: number },
): Promise<AuditRow[]> {
  return sql<AuditRow[]>`
    select id, at, actor, user_id, email, action, target, mode, address, details, error from gateway.audit_log
    where account_id = ${accountId}
      ${action === undefined ? sql`` : sql`and action = ${action}`}
      ${actor === undefined ? sql`` : sql`and actor = ${actor}`}
      ${after === undefined ? sql`` : sql`and at > ${after}`}
      ${before === undefined ? sql`` : sql`and at < ${before}`}
      ${from === undefined ? sql`` : sql`and (at, id) < (${from.at}, ${from.id})`}
    order by at desc, id desc
    limit ${limit}`;
}

export function findAuditCursor(sql: Db, accountId: string, id: string) {
  return first(sql<AuditCursor[]>`
    select at, id from gateway.audit_log where account_id = ${accountId} and id = ${id}`);
}
