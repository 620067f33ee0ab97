/** Accounts, and who has been mailed which alert about Tokens. */
import type { Db } from "#runtime/postgres/connect.ts";

export type AccountRow = {
  accountId: string;
  name: string;
  productionGranted: boolean;
  createsPerMinute: number;
  readsPerMinute: number;
  maxUnfinished: number;
  suspendedAt: Date | null;
  createdAt: Date;
};

/** What an account may do: read with its keys and its memberships too. */
export const PERMISSION_COLUMNS = [
  "productionGranted",
  "suspendedAt",
  "createsPerMinute",
  "readsPerMinute",
  "maxUnfinished",
] as const satisfies (keyof AccountRow)[];

export type AccountPermissions = Pick<AccountRow, (typeof PERMISSION_COLUMNS)[number]>;

const COLUMNS = [
  "accountId",
  "name",
  ...PERMISSION_COLUMNS,
  "createdAt",
] as const satisfies (keyof AccountRow)[];

export async function insertAccount(
  sql: Db,
  accountId: string,
  name: string,
  at: Date,
): Promise<AccountRow | undefined> {
  const [row] = await sql<AccountRow[]>`
    insert into gateway.accounts (account_id, name, created_at)
    values (${accountId}, ${name}, ${at})
    returning ${sql(COLUMNS)}`;
  return row;
}

/** Until the end of the transaction no other counts what this one counts of the account. */
export async function lockAccount(sql: Db, accountId: string): Promise<void> {
  await sql`select 1 as one from gateway.accounts where account_id = ${accountId} for no key update`;
}

export async function findAccount(sql: Db, accountId: string): Promise<AccountRow | undefined> {
  const [row] = await sql<AccountRow[]>`
    select ${sql(COLUMNS)} from gateway.accounts where account_id = ${accountId}`;
  return row;
}

export async function grantAccountProduction(
  sql: Db,
  accountId: string,
): Promise<AccountRow | undefined> {
  const [row] = await sql<AccountRow[]>`
    update gateway.accounts set production_granted = true
    where account_id = ${accountId}
    returning ${sql(COLUMNS)}`;
  return row;
}

/** A limit of 0 means no limit; an undefined limit keeps its value. Undefined when there is no such account. */
export async function setAccountLimits(
  sql: Db,
  accountId: string,
  limits: {
    createsPerMinute: number | undefined;
    readsPerMinute: number | undefined;
    maxUnfinished: number | undefined;
  },
): Promise<AccountRow | undefined> {
  const [row] = await sql<AccountRow[]>`
    update gateway.accounts
    set creates_per_minute = coalesce(${limits.createsPerMinute ?? null}::integer, creates_per_minute),
        reads_per_minute = coalesce(${limits.readsPerMinute ?? null}::integer, reads_per_minute),
        max_unfinished = coalesce(${limits.maxUnfinished ?? null}::integer, max_unfinished)
    where account_id = ${accountId}
    returning ${sql(COLUMNS)}`;
  return row;
}

export async function renameAccount(
  sql: Db,
  accountId: string,
  name: string,
): Promise<AccountRow | undefined> {
  const [row] = await sql<AccountRow[]>`
    update gateway.accounts set name = ${name}
    where account_id = ${accountId}
    returning ${sql(COLUMNS)}`;
  return row;
}

/** Suspends the account from `at`, keeping an earlier suspension's time; null lifts the suspension. */
export async function suspendAccount(
  sql: Db,
  accountId: string,
  at: Date | null,
): Promise<AccountRow | undefined> {
  const [row] = await sql<AccountRow[]>`
    update gateway.accounts
    set suspended_at = case when ${at}::timestamptz is null then null else coalesce(suspended_at, ${at}) end
    where account_id = ${accountId}
    returning ${sql(COLUMNS)}`;
  return row;
}

/** A page of accounts in the order of their ids. */
export function listAccounts(
  sql: Db,
  after: string | undefined,
  limit: number,
): Promise<AccountRow[]> {
  return sql<AccountRow[]>`
    select ${sql(COLUMNS)} from gateway.accounts
    where account_id > ${after ?? ""}
    order by account_id
    limit ${limit}`;
}

export type AlertRecipient = { userId: string; email: string };

/** Who is told about the account's Tokens (owners and billing, without disabled users) and not of this alert yet. */
export function listUntold(sql: Db, accountId: string, eventId: string): Promise<AlertRecipient[]> {
  return sql<AlertRecipient[]>`
    select m.user_id, u.email
    from gateway.memberships m join gateway.users u on u.id = m.user_id
    where m.account_id = ${accountId} and m.role in ('owner', 'billing') and u.disabled_at is null
      and not exists (
        select from gateway.alert_mails told
        where told.account_id = m.account_id and told.event_id = ${eventId} and told.user_id = m.user_id)
    order by u.email`;
}

export async function recordAlertMail(
  sql: Db,
  accountId: string,
  eventId: string,
  userId: string,
  at: Date,
): Promise<void> {
  await sql`
    insert into gateway.alert_mails (account_id, event_id, user_id, answered_at)
    values (${accountId}, ${eventId}, ${userId}, ${at})
    on conflict do nothing`;
}
