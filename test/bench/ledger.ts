/** Measures reserves per second, beside a bare round trip and one transaction per reserve. */
import { parseArgs } from "node:util";
import { benchDatabase } from "./bench-database.ts";
import { openLedger, reserveAlone } from "./ledger-fixture.ts";
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
  const { sql, accounts, reserve } = ledger;
  const [first = ""] = accounts;
  const any = () => accounts[Math.floor(Math.random() * accounts.length)] ?? "";
  const run = async (name: string, operation: () => Promise<unknown>) => {
    const measured = await measure(callers, seconds, operation);
    say(line(`  ${name}`, measured));
    return measured.perSecond;
  };
  say(`${callers} callers\n`);
  await run("select 1", () => sql`select 1`);
  const alone = await run("one transaction a reserve, one account", () =>
    reserveAlone(ledger, first),
  );
  const together = await run("reserve, one account", () => reserve(first));
  await run(`reserve, ${accountCount} accounts`, () => reserve(any()));
  say(`  one account: ${(together / alone).toFixed(1)} x one transaction a reserve\n`);
}
