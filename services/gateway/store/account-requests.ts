/** What users ask operators for, and the answers. */
import type { Db } from "#runtime/postgres/connect.ts";

export type AccountRequestRow = {
  accountId: string;
  id: string;
  kind: "production" | "tokens";
  /** How many are asked for; null for production access. */
  tokens: bigint | null;
  message: string;
  userId: string;
  email: string;
  createdAt: Date;
  /** Null while it waits for an operator. */
  decision: "approved" | "refused" | null;
  answer: string;
  decidedAt: Date | null;
};

export type NewAccountRequest = Omit<AccountRequestRow, "decision" | "answer" | "decidedAt">;

const columns = (sql: Db) => sql`
  account_id, id, kind, tokens, message, user_id, email, created_at, decision, answer, decided_at`;

/** Undefined when one of this kind is still waiting. */
export async function insertAccountRequestIfNoneWaits(
  sql: Db,
  request: NewAccountRequest,
): Promise<AccountRequestRow | undefined> {
  const [row] = await sql<AccountRequestRow[]>`
    insert into gateway.account_requests ${sql(request)}
    on conflict (account_id, kind) where decision is null do nothing
    returning ${columns(sql)}`;
  return row;
}

/** The account's latest, newest first. */
export function listAccountRequests(
  sql: Db,
  accountId: string,
  limit: number,
): Promise<AccountRequestRow[]> {
  return sql<AccountRequestRow[]>`
    select ${columns(sql)} from gateway.account_requests
    where account_id = ${accountId}
    order by created_at desc, id desc
    limit ${limit}`;
}

/** Those of all accounts that wait, oldest first, with the names of their accounts. */
export function listWaitingRequests(
  sql: Db,
  limit: number,
): Promise<(AccountRequestRow & { accountName: string })[]> {
  return sql<(AccountRequestRow & { accountName: string })[]>`
    select ${columns(sql)},
      (select a.name from gateway.accounts a where a.account_id = r.account_id) as account_name
    from gateway.account_requests r
    where decision is null
    order by created_at, id
    limit ${limit}`;
}

/** Undefined when there is none that waits. */
export async function decideRequestIfWaiting(
  sql: Db,
  {
    accountId,
    id,
    decision,
    answer,
    at,
  }: Pick<AccountRequestRow, "accountId" | "id" | "answer"> & {
    decision: "approved" | "refused";
    at: Date;
  },
): Promise<AccountRequestRow | undefined> {
  const [row] = await sql<AccountRequestRow[]>`
    update gateway.account_requests
    set decision = ${decision}, answer = ${answer}, decided_at = ${at}
    where account_id = ${accountId} and id = ${id} and decision is null
    returning ${columns(sql)}`;
  return row;
}
