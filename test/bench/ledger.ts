/** Measures reserves per second, beside a bare round trip and one transaction per reserve. */
import { systemClock } from "#runtime/clock.ts";
import { randomId, randomToken } from "#runtime/id.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { NO_LIMITS } from "#runtime/postgres/limits.ts";
import { creditBalance } from "../../services/billing/store/balances.ts";
import { batchedMoves } from "../../services/billing/store/moves.ts";
import type { DatabaseUrls } from "../../services/ops/setup/provision.ts";
import { openPool } from "../support/database.ts";
import { benchDatabase } from "./bench-database.ts";
import { line, measure } from "./measure.ts";

const SECONDS = 3;
const ACCOUNTS = 1_000;
const CALLERS = [1, 16, 64, 256];
const CONNECTIONS = 32;
const say = (text: string) => process.stdout.write(text);

await using database = await benchDatabase();
await using ledger = await openLedger(database.urls.billing);
say(`${ACCOUNTS} accounts, ${SECONDS} s each\n`);
for (const callers of CALLERS) await measureCallers(callers);

async function measureCallers(callers: number): Promise<void> {
  const { sql, accounts, reserve } = ledger;
  const [first = ""] = accounts;
  const any = () => accounts[Math.floor(Math.random() * accounts.length)] ?? "";
  const run = async (name: string, operation: () => Promise<unknown>) => {
    const measured = await measure(callers, SECONDS, operation);
    say(line(`  ${name}`, measured));
    return measured.perSecond;
  };
  say(`${callers} callers\n`);
  await run("select 1", () => sql`select 1`);
  const alone = await run("one transaction a reserve, one account", () =>
    reserveAlone(ledger, first),
  );
  const together = await run("reserve, one account", () => reserve(first));
  await run(`reserve, ${ACCOUNTS} accounts`, () => reserve(any()));
  say(`  one account: ${(together / alone).toFixed(1)} x one transaction a reserve\n`);
}

type Ledger = Awaited<ReturnType<typeof openLedger>>;

async function openLedger(urls: DatabaseUrls) {
  const sql = openPool(urls.url, CONNECTIONS);
  const owner = openPool(urls.ownerUrl, CONNECTIONS, NO_LIMITS);
  const moves = batchedMoves(sql, systemClock);
  return {
    sql,
    owner,
    accounts: await Promise.all(Array.from({ length: ACCOUNTS }, () => fundedAccount(sql))),
    /** Reserves one Token as the service does. */
    reserve: (accountId: string) =>
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
        rowServer: 0n,
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
function reserveAlone({ owner }: Ledger, accountId: string): Promise<unknown> {
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
