/** A ledger to measure: connections, funded accounts, two ways to reserve, and a history of entries. */
import { systemClock } from "#runtime/clock.ts";
import { randomId, randomToken } from "#runtime/id.ts";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { rechargeBalance } from "../../services/billing/store/balances.ts";
import { batchedMoves } from "../../services/billing/store/moves.ts";
import type { DatabaseUrls } from "../../services/ops/provision.ts";

const CONNECTIONS = 32;

export type Ledger = AsyncDisposable & {
  sql: Sql;
  owner: Sql;
  accounts: readonly string[];
  /** Reserves one Token as the service does. */
  reserve: (accountId: string) => Promise<unknown>;
};

export async function openLedger(urls: DatabaseUrls, accountCount: number): Promise<Ledger> {
  const sql = connectPostgres({ url: urls.url, maxConnections: CONNECTIONS }, "bench");
  const owner = connectPostgres({ url: urls.ownerUrl, maxConnections: CONNECTIONS }, "bench");
  const moves = batchedMoves(sql, systemClock);
  return {
    sql,
    owner,
    accounts: await Promise.all(Array.from({ length: accountCount }, () => fundedAccount(sql))),
    reserve: (accountId) =>
      moves({
        accountId,
        mode: "live",
        kind: "reserve",
        // Random like ids derived from idempotency keys, which is the worst case for indexes.
        generationId: `vgen_${randomToken()}`,
        attempt: 1,
        tokens: 1n,
        entryId: randomId("txn"),
        maxOpenHolds: 0,
      }),
    async [Symbol.asyncDispose]() {
      await sql.end();
      await owner.end();
    },
  };
}

async function fundedAccount(sql: Sql): Promise<string> {
  const accountId = randomId("acct");
  await rechargeBalance(sql, {
    accountId,
    mode: "live",
    transactionId: randomId("txn"),
    tokens: 1_000_000_000_000n,
    reference: null,
    note: null,
    actor: "bench",
    at: new Date(),
  });
  return accountId;
}

/** Reserves one Token in a transaction of its own that locks the row. */
export function reserveAlone({ owner }: Ledger, accountId: string): Promise<unknown> {
  return owner.begin(async (transaction) => {
    const [row] = await transaction<{ available: bigint }[]>`
      select available from billing.balances where account_id = ${accountId} and mode = 'live' for update`;
    const after = (row?.available ?? 0n) - 1n;
    const generationId = `vgen_${randomToken()}`;
    await transaction`
      update billing.balances set available = available - 1, reserved = reserved + 1, open_holds = open_holds + 1
      where account_id = ${accountId} and mode = 'live'`;
    await transaction`
      insert into billing.holds (account_id, mode, generation_id, attempt, tokens, state, created_at)
      values (${accountId}, 'live', ${generationId}, 1, 1, 'held', now())`;
    await transaction`
      insert into billing.entries (account_id, mode, id, type, generation_id, attempt, available_change,
        reserved_change, spent_change, issued_change, available_after, created_at)
      values (${accountId}, 'live', ${randomId("txn")}, 'reserve', ${generationId}, 1, -1, 1, 0, 0,
        ${after.toString()}, now())`;
  });
}

/**
 * Inserts a history that should not slow down a reserve: reserves and captures, spread evenly over the accounts, with
 * ids as ordered and as random as real ones. Creating the indexes afterwards takes a tenth of the time.
 */
export async function fillEntries({ owner, accounts }: Ledger, count: number): Promise<void> {
  const BATCH = 500_000;
  const holds = Math.floor(count / 2);
  const recreateIndexes = await dropIndexes(owner, ["entries", "holds"]);
  for (let from = 0; from < holds; from += BATCH) {
    const to = Math.min(from + BATCH, holds) - 1;
    await owner`
      insert into billing.holds (account_id, mode, generation_id, attempt, tokens, state, created_at, resolved_at)
      select (${accounts as string[]}::text[])[1 + n % ${accounts.length}], 'live', 'vgen_' || substr(md5(n::text), 1, 26), 1, 1,
        'captured', now(), now()
      from generate_series(${from}::bigint, ${to}::bigint) n`;
    await owner`
      insert into billing.entries (account_id, mode, id, type, generation_id, attempt, available_change,
        reserved_change, spent_change, issued_change, available_after, created_at)
      select (${accounts as string[]}::text[])[1 + n % ${accounts.length}], 'live', 'txn_00' || lpad((2 * n + reserved)::text, 24, '0'), type,
        'vgen_' || substr(md5(n::text), 1, 26), 1, available, reserved, spent, 0, 0, now()
      from generate_series(${from}::bigint, ${to}::bigint) n
      cross join (values ('reserve', -1, 1, 0), ('capture', 0, -1, 1)) as one (type, available, reserved, spent)`;
  }
  await recreateIndexes();
  await owner`vacuum (freeze, analyze) billing.entries, billing.holds`;
}

/** Drops constraints and indexes of the tables; returns a function that creates them again. */
async function dropIndexes(owner: Sql, tables: readonly string[]): Promise<() => Promise<void>> {
  const constraints = await owner<{ table: string; name: string; definition: string }[]>`
    select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
    from pg_constraint
    where conrelid::regclass::text = any(${tables.map((table) => `billing.${table}`)}) and contype in ('p', 'u')`;
  for (const { table, name } of constraints)
    await owner.unsafe(`alter table ${table} drop constraint ${name}`);
  const indexes = await owner<{ name: string; definition: string }[]>`
    select 'billing.' || quote_ident(indexname) as name, indexdef as definition
    from pg_indexes where schemaname = 'billing' and tablename = any(${tables as string[]})`;
  for (const { name } of indexes) await owner.unsafe(`drop index ${name}`);
  return async () => {
    for (const { table, name, definition } of constraints)
      await owner.unsafe(`alter table ${table} add constraint ${name} ${definition}`);
    for (const { definition } of indexes) await owner.unsafe(definition);
  };
}
