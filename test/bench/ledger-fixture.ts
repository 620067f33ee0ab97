/** A ledger to measure: connections, funded accounts, two ways to reserve, and a history of entries. */
import { systemClock } from "#runtime/clock.ts";
import { randomId, randomToken } from "#runtime/id.ts";
import { connectPostgres, type Sql } from "#runtime/postgres/connect.ts";
import { NO_LIMITS } from "#runtime/postgres/limits.ts";
import { creditBalance } from "../../services/billing/store/balances.ts";
import { batchedMoves } from "../../services/billing/store/moves.ts";
import type { DatabaseUrls } from "../../services/ops/setup/provision.ts";
import { fillTables } from "./fill-tables.ts";

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
  const owner = connectPostgres(
    { url: urls.ownerUrl, maxConnections: CONNECTIONS, limits: NO_LIMITS },
    "bench",
  );
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
        keyId: "",
        endUser: null,
      }),
    async [Symbol.asyncDispose]() {
      await sql.end();
      await owner.end();
    },
  };
}

async function fundedAccount(sql: Sql): Promise<string> {
  const accountId = randomId("acct");
  await creditBalance(sql, {
    accountId,
    mode: "live",
    type: "recharge",
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
 * ids as ordered and as random as real ones.
 */
export async function fillEntries({ owner, accounts }: Ledger, count: number): Promise<void> {
  const holds = Math.floor(count / 2);
  await fillTables(owner, ["billing.entries", "billing.holds"], holds, async ({ from, to }) => {
    await owner`
      insert into billing.holds (account_id, mode, generation_id, attempt, tokens, state, created_at)
      select (${accounts as string[]}::text[])[1 + n % ${accounts.length}], 'live', 'vgen_' || substr(md5(n::text), 1, 26), 1, 1,
        'captured', now()
      from generate_series(${from}::bigint, ${to}::bigint) n`;
    await owner`
      insert into billing.entries (account_id, mode, id, type, generation_id, attempt, available_change,
        reserved_change, spent_change, issued_change, available_after, created_at)
      select (${accounts as string[]}::text[])[1 + n % ${accounts.length}], 'live', 'txn_00' || lpad((2 * n + reserved)::text, 24, '0'), type,
        'vgen_' || substr(md5(n::text), 1, 26), 1, available, reserved, spent, 0, 0, now()
      from generate_series(${from}::bigint, ${to}::bigint) n
      cross join (values ('reserve', -1, 1, 0), ('capture', 0, -1, 1)) as one (type, available, reserved, spent)`;
  });
}
