/** Accounts, and what their users ask operators for. */
import { first, type Db } from "#runtime/postgres/connect.ts";

export type AccountRow = {
  accountId: string;
  name: string;
  productionGranted: boolean;
  createsPerMinute: number;
  readsPerMinute: number;
  maxUnfinished: number;
  suspendedAt: Date | null;
  /** Null for never. */
  confirmAboveTokens: number | null;
  /** When its deletion was asked for. */
  deletedAt: Date | null;
  /** When all but numbers was erased. */
  erasedAt: Date | null;
  createdAt: Date;
};

/** What an account may do: read with its keys, too. */
export type AccountPermissions = Omit<
  AccountRow,
  "accountId" | "name" | "confirmAboveTokens" | "createdAt" | "erasedAt"
>;

export const permissionColumns = (sql: Db) => sql`
  production_granted, suspended_at, deleted_at, creates_per_minute, reads_per_minute, max_unfinished`;

export const accountColumns = (sql: Db) =>
  sql`account_id, name, confirm_above_tokens, created_at, erased_at, ${permissionColumns(sql)}`;

export function insertAccount(sql: Db, accountId: string, name: string, at: Date) {
  return first(sql<AccountRow[]>`
    insert into gateway.accounts (account_id, name, created_at)
    values (${accountId}, ${name}, ${at})
    returning ${accountColumns(sql)}`);
}

export function findAccount(sql: Db, accountId: string, locked = sql``) {
  return first(sql<AccountRow[]>`
    select ${accountColumns(sql)} from gateway.accounts where account_id = ${accountId} ${locked}`);
}

/** Until the end of the transaction no other counts what this one counts of the account. */
export const lockAccount = (sql: Db, accountId: string) =>
  findAccount(sql, accountId, sql`for no key update`);

type Changeable = Omit<AccountRow, "accountId" | "createdAt" | "erasedAt">;
export type AccountChanges = { [Column in keyof Changeable]?: Changeable[Column] | undefined };

/** Undefined when there is no such account. A limit of 0 means no limit. What is undefined keeps its value. */
export function updateAccount(sql: Db, accountId: string, changes: AccountChanges) {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  if (given.length === 0) return findAccount(sql, accountId);
  return first(sql<AccountRow[]>`
    update gateway.accounts set ${sql(Object.fromEntries(given))}
    where account_id = ${accountId}
    returning ${accountColumns(sql)}`);
}

export function listAccounts(sql: Db, after: string | undefined, limit: number) {
  return sql<AccountRow[]>`
    select ${accountColumns(sql)} from gateway.accounts
    where account_id > ${after ?? ""}
    order by account_id
    limit ${limit}`;
}

/** The addresses of those who are told about the account's Tokens: owners and billing, without disabled users. */
export async function listAlertAddresses(sql: Db, accountId: string): Promise<string[]> {
  const rows = await sql<{ email: string }[]>`
    select u.email
    from gateway.memberships m join gateway.users u on u.id = m.user_id
    where m.account_id = ${accountId} and m.role in ('owner', 'billing') and u.disabled_at is null
    order by u.email`;
  return rows.map(({ email }) => email);
}

/** Up to `limit` accounts that were deleted before a time and are not erased, the first first. */
export async function listAccountsToErase(sql: Db, deletedBefore: Date, limit: number) {
  const rows = await sql<{ accountId: string }[]>`
    select account_id from gateway.accounts
    where deleted_at < ${deletedBefore} and erased_at is null
    order by deleted_at limit ${limit}`;
  return rows.map(({ accountId }) => accountId);
}

/** Erases up to `limit` rows of each log of a deleted account, or the rest. Whether nothing is left. */
export async function eraseAccountIfDeleted(sql: Db, accountId: string, at: Date, limit: number) {
  const [row] = await sql<{ isDone: boolean }[]>`
    select gateway.erase_account(${accountId}, ${at}, ${limit}) as is_done`;
  return row?.isDone ?? true;
}

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
  /** What the operator wrote; may be empty. */
  answer: string;
  decidedAt: Date | null;
};

export type NewAccountRequest = Omit<AccountRequestRow, "decision" | "answer" | "decidedAt">;

const requestColumns = (sql: Db) => sql`
  account_id, id, kind, tokens, message, user_id, email, created_at, decision, answer, decided_at`;

/** Undefined when one of this kind is still waiting. */
export function insertAccountRequestIfNoneWaits(sql: Db, request: NewAccountRequest) {
  return first(sql<AccountRequestRow[]>`
    insert into gateway.account_requests ${sql(request)}
    on conflict (account_id, kind) where decision is null do nothing
    returning ${requestColumns(sql)}`);
}

export function listAccountRequests(sql: Db, accountId: string, limit: number) {
  return sql<AccountRequestRow[]>`
    select ${requestColumns(sql)} from gateway.account_requests
    where account_id = ${accountId}
    order by created_at desc, id desc
    limit ${limit}`;
}

export function listWaitingRequests(sql: Db, limit: number) {
  return sql<(AccountRequestRow & { accountName: string })[]>`
    select ${requestColumns(sql)},
      (select a.name from gateway.accounts a where a.account_id = r.account_id) as account_name
    from gateway.account_requests r
    where decision is null
    order by created_at, id
    limit ${limit}`;
}

/** Undefined when there is none that waits. */
export function decideRequestIfWaiting(
  sql: Db,
  accountId: string,
  id: string,
  decided: Pick<AccountRequestRow, "decision" | "answer" | "decidedAt">,
): Promise<AccountRequestRow | undefined> {
  return first(sql<AccountRequestRow[]>`
    update gateway.account_requests set ${sql(decided)}
    where account_id = ${accountId} and id = ${id} and decision is null
    returning ${requestColumns(sql)}`);
}
