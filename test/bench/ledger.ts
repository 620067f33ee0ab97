/** Measures reserves per second, beside a bare round trip. */
import { systemClock } from "#runtime/clock.ts";
import { randomId, randomToken } from "#runtime/id.ts";
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
const moves = batchedMoves(sql, systemClock);
const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, fundedAccount));
const [first = ""] = accounts;
const anyAccount = () => accounts[Math.floor(Math.random() * accounts.length)] ?? "";

say(`${ACCOUNTS} accounts, ${SECONDS} s each\n`);
for (const callers of CALLERS) {
  const run = async (name: string, operation: () => Promise<unknown>) =>
    say(line(`  ${name}`, await measure(callers, SECONDS, operation)));
  say(`${callers} callers\n`);
  await run("select 1", () => sql`select 1`);
  await run("reserve, one account", () => reserve(first));
  await run(`reserve, ${ACCOUNTS} accounts`, () => reserve(anyAccount()));
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
