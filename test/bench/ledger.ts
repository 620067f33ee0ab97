/** Reserves per second on one account and on many, beside a bare round trip and one transaction a reserve. */
import { parseArgs } from "node:util";
import { systemClock } from "#runtime/clock.ts";
import { randomId } from "#runtime/id.ts";
import { connectPostgres } from "#runtime/postgres.ts";
import type { Sql } from "#runtime/postgres.ts";
import { rechargeBalance } from "../../services/billing/store/balances.ts";
import { batchedMoves } from "../../services/billing/store/moves.ts";
import { benchDatabase } from "./bench-database.ts";
import { line, measure } from "./measure.ts";
import type { Measured } from "./measure.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "3" },
    accounts: { type: "string", default: "1000" },
    /** Measured again with so many entries more; 10000000 is the size that the growth is judged by. */
    entries: { type: "string", default: "0" },
  },
});
const seconds = Number(values.seconds);
const CONNECTIONS = 32;

await using database = await benchDatabase();
const sql = connectPostgres(
  { url: database.urls.billing.url, maxConnections: CONNECTIONS },
  "bench",
);
const owner = connectPostgres(
  { url: database.urls.billing.ownerUrl, maxConnections: CONNECTIONS },
  "bench",
);
const accounts = await Promise.all(
  Array.from({ length: Number(values.accounts) }, () => fundedAccount()),
);
const say = (text: string) => process.stdout.write(text);
const CALLERS = [1, 16, 64, 256];
say(`${accounts.length} accounts, ${seconds} s each\n`);
const before = await measureAll();
const entries = Number(values.entries);
if (entries > 0) {
  await fillEntries(entries);
  say(`with ${entries} entries more\n`);
  const after = await measureAll();
  CALLERS.forEach((callers, index) =>
    say(`${callers} callers ${growth(before[index], after[index])}`),
  );
}
await sql.end();
await owner.end();

type Figures = { hot: Measured; spread: Measured };

async function measureAll(): Promise<Figures[]> {
  const all: Figures[] = [];
  for (const callers of CALLERS) all.push(await measureCallers(callers));
  return all;
}

async function measureCallers(callers: number): Promise<Figures> {
  say(`${callers} callers\n`);
  say(line("  select 1", await measure(callers, seconds, () => sql`select 1`)));
  const single = await measure(callers, seconds, () => oneTransaction(owner, accounts[0] ?? ""));
  say(line("  one transaction a reserve, one account", single));
  const moves = batchedMoves(sql, systemClock);
  const reserve = (accountId: string) =>
    moves(accountId, "live", {
      kind: "reserve",
      generationId: randomId("vgen"),
      attempt: 1,
      tokens: 1n,
      entryId: randomId("txn"),
      maxOpenHolds: 0,
    });
  const hot = await measure(callers, seconds, () => reserve(accounts[0] ?? ""));
  say(line("  reserve, one account", hot));
  const spread = await measure(callers, seconds, () =>
    reserve(accounts[Math.floor(Math.random() * accounts.length)] ?? ""),
  );
  say(line(`  reserve, ${accounts.length} accounts`, spread));
  say(
    `  one account: ${(hot.perSecond / single.perSecond).toFixed(1)} x one transaction a reserve\n`,
  );
  return { hot, spread };
}

/** What a reserve costs more with the history than without it. */
function growth(before: Figures | undefined, after: Figures | undefined): string {
  const percent = (of: (figures: Figures) => Measured) => {
    const [was, is] = [before, after].map((one) => (one ? of(one).perSecond : NaN));
    return `${((100 * (was ?? NaN)) / (is ?? NaN) - 100).toFixed(0)} %`;
  };
  return `cost more: one account ${percent(({ hot }) => hot)}, many accounts ${percent(({ spread }) => spread)}\n`;
}

async function fundedAccount(): Promise<string> {
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

/** What a client that takes the row lock itself does for each reserve. */
function oneTransaction(db: Sql, accountId: string): Promise<unknown> {
  return db.begin(async (transaction) => {
    const [row] = await transaction<{ available: bigint }[]>`
      select available from billing.balances where account_id = ${accountId} and mode = 'live' for update`;
    const after = (row?.available ?? 0n) - 1n;
    const generationId = randomId("vgen");
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

/** History that nothing on the way of a reserve should feel: recharges of the accounts, spread evenly. */
async function fillEntries(count: number): Promise<void> {
  const STEP = 500_000;
  for (let done = 0; done < count; done += STEP) {
    await owner`
      insert into billing.entries (account_id, mode, id, type, generation_id, attempt, available_change,
        reserved_change, spent_change, issued_change, available_after, created_at)
      select (${accounts}::text[])[1 + n % ${accounts.length}], 'live',
        'txn_' || lpad(n::text, 26, '0'), 'capture', 'vgen_' || lpad(n::text, 26, '0'), 1, 0, 0, 0, 0, 0, now()
      from generate_series(${done}::bigint, ${Math.min(done + STEP, count) - 1}::bigint) n`;
  }
  if (count > 0) await owner`vacuum analyze billing.entries`;
}
