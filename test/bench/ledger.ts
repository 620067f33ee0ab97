/** Measures reserves per second, beside a bare round trip and one transaction per reserve. */
import { parseArgs } from "node:util";
import { benchDatabase } from "./bench-database.ts";
import { fillEntries, openLedger, reserveAlone, type Ledger } from "./ledger-fixture.ts";
import { line, measure, measureInTurn } from "./measure.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "3" },
    accounts: { type: "string", default: "1000" },
    /** Compares with a ledger of so many entries; use 10000000 to judge growth. */
    entries: { type: "string", default: "0" },
  },
});
const seconds = Number(values.seconds);
const entries = Number(values.entries);
const accountCount = Number(values.accounts);
const WARM_UP_SECONDS = 1;
const CALLERS = [1, 16, 64, 256];
const say = (text: string) => process.stdout.write(text);

await using database = await benchDatabase();
await using empty = await openLedger(database.urls.billing, accountCount);
say(`${accountCount} accounts, ${seconds} s each\n`);
for (const callers of CALLERS) await measureCallers(empty, callers);
if (entries > 0) {
  const { billing } = await database.another("media_with_history");
  await using filled = await openLedger(billing, accountCount);
  await fillEntries(filled, entries);
  await database.checkpoint();
  say(`without entries and with ${entries}, in turns of half a second\n`);
  for (const callers of CALLERS) await compareLedgers(filled, callers);
}

async function measureCallers(ledger: Ledger, callers: number): Promise<void> {
  const { sql, reserve } = ledger;
  const first = hot(ledger);
  say(`${callers} callers\n`);
  say(line("  select 1", await measure(callers, seconds, () => sql`select 1`)));
  const alone = await measure(callers, seconds, () => reserveAlone(ledger, first()));
  say(line("  one transaction a reserve, one account", alone));
  const together = await measure(callers, seconds, () => reserve(first()));
  say(line("  reserve, one account", together));
  const any = spread(ledger);
  say(
    line(
      `  reserve, ${accountCount} accounts`,
      await measure(callers, seconds, () => reserve(any())),
    ),
  );
  const times = (together.perSecond / alone.perSecond).toFixed(1);
  say(`  one account: ${times} x one transaction a reserve\n`);
}

/** Measures how much more a reserve costs with a history. */
async function compareLedgers(filled: Ledger, callers: number): Promise<void> {
  say(`${callers} callers\n`);
  for (const [name, choose] of [
    ["one account", hot],
    [`${accountCount} accounts`, spread],
  ] as const) {
    const operations = [empty, filled].map((ledger) => {
      const account = choose(ledger);
      return () => ledger.reserve(account());
    });
    await measureInTurn(callers, WARM_UP_SECONDS, operations);
    const [before, after] = await measureInTurn(callers, seconds, operations);
    if (!before || !after) return;
    say(line(`  reserve, ${name}, without entries`, before));
    say(line(`  reserve, ${name}, with ${entries}`, after));
    say(
      `  ${name}: costs ${((100 * before.perSecond) / after.perSecond - 100).toFixed(1)} % more\n`,
    );
  }
}

function hot({ accounts }: Ledger): () => string {
  return () => accounts[0] ?? "";
}

function spread({ accounts }: Ledger): () => string {
  return () => accounts[Math.floor(Math.random() * accounts.length)] ?? "";
}
