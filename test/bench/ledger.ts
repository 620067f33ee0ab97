/** Measures reserves per second, beside a bare round trip and one transaction per reserve. */
import { systemClock } from "#runtime/clock.ts";
import { randomId, randomToken } from "#runtime/id.ts";
import { NO_LIMITS } from "#runtime/postgres/limits.ts";
import { batchedMoves } from "../../services/billing/store/moves.ts";
import { newAccountId } from "../support/account.ts";
import { newMove } from "../support/billing-deps.ts";
import { openPool } from "../support/database.ts";
import { benchDatabase } from "./bench-database.ts";
import { line, measure } from "./measure.ts";

const SECONDS = 3;
const ACCOUNTS = 1_000;
const CALLERS = [1, 16, 64, 256];
const CONNECTIONS = 32;
const say = (text: string) => process.stdout.write(text);

await using database = await benchDatabase();
const { billing } = database.urls;
await using sql = openPool(billing.url, CONNECTIONS);
await using owner = openPool(billing.ownerUrl, CONNECTIONS, NO_LIMITS);
const moves = batchedMoves(sql, systemClock);
const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, fundedAccount));
const [first = ""] = accounts;
const anyAccount = () => accounts[Math.floor(Math.random() * accounts.length)] ?? "";

say(`${ACCOUNTS} accounts, ${SECONDS} s each\n`);
for (const callers of CALLERS) {
  const run = async (name: string, operation: () => Promise<unknown>) => {
    const measured = await measure(callers, SECONDS, operation);
    say(line(`  ${name}`, measured));
    return measured.perSecond;
  };
  say(`${callers} callers\n`);
  await run("select 1", () => sql`select 1`);
  const alone = await run("one transaction a reserve, one account", () => reserveAlone(first));
  const together = await run("reserve, one account", () => reserve(first));
  await run(`reserve, ${ACCOUNTS} accounts`, () => reserve(anyAccount()));
  say(`  one account: ${(together / alone).toFixed(1)} x one transaction a reserve\n`);
}

async function fundedAccount(): Promise<string> {
  const accountId = newAccountId();
  await sql`
    select billing.credit(${accountId}, 'live', 'recharge', ${randomId("txn")}, 1000000000000::bigint, null, null,
      'bench', now())`;
  return accountId;
}

/** Reserves one Token as the service does. Ids are random like those of idempotency keys: the worst case for indexes. */
function reserve(accountId: string): Promise<unknown> {
  return moves({ ...newMove(accountId, "reserve", 1n), generationId: `vgen_${randomToken()}` });
}

/** Reserves one Token in a transaction of its own that locks the row. */
function reserveAlone(accountId: string): Promise<unknown> {
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
