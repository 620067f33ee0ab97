/** Measures reserves per second, beside a bare round trip and one transaction per reserve. */
import { parseArgs } from "node:util";
import { benchDatabase } from "./bench-database.ts";
import { openLedger, reserveAlone, type Ledger } from "./ledger-fixture.ts";
import { line, measure } from "./measure.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "3" },
    accounts: { type: "string", default: "1000" },
  },
});
const seconds = Number(values.seconds);
const accountCount = Number(values.accounts);
const CALLERS = [1, 16, 64, 256];
const say = (text: string) => process.stdout.write(text);

await using database = await benchDatabase();
await using ledger = await openLedger(database.urls.billing, accountCount);
say(`${accountCount} accounts, ${seconds} s each\n`);
for (const callers of CALLERS) await measureCallers(callers);

async function measureCallers(callers: number): Promise<void> {
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

function hot({ accounts }: Ledger): () => string {
  return () => accounts[0] ?? "";
}

function spread({ accounts }: Ledger): () => string {
  return () => accounts[Math.floor(Math.random() * accounts.length)] ?? "";
}
