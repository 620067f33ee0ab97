/** Services and migrations work through PgBouncer in transaction mode, where nothing may depend on a session. */
import { systemClock } from "#runtime/clock.ts";
import { randomId } from "#runtime/id.ts";
import { migrate } from "#runtime/postgres/migrate.ts";
import { isDatabaseUnavailable } from "#runtime/postgres/limits.ts";
import { locateUnpacked } from "../../../scripts/test-tools.mjs";
import { batchedMoves } from "../../../services/billing/store/moves.ts";
import { newMove } from "../../support/billing-deps.ts";
import { openPool, unmigratedDatabase } from "../../support/database.ts";
import { forTests } from "../../support/for-tests.ts";
import { startPgbouncer } from "../../support/pgbouncer.ts";

const found = locateUnpacked("pgbouncer");

describe.skipIf(!found)("through PgBouncer, where it could be fetched", () => {
  const database = forTests(async (stack) => {
    const { name, urls } = stack.use(await unmigratedDatabase());
    const { url, ownerUrl } = urls.billing;
    const { through } = stack.use(await startPgbouncer([url, ownerUrl]));
    return { name, ownerUrl: through(ownerUrl), sql: stack.use(openPool(through(url), 6)) };
  });

  it("migrators wait for each other, and leave no lock", async () => {
    const directory = "services/billing/migrations";
    const run = () => migrate({ url: database.ownerUrl, schema: "billing", directory });
    await Promise.all([run(), run()]);
    await run();
    const [locks] = await database.sql<{ held: number }[]>`
      select count(*)::int as held from pg_locks
      where locktype = 'advisory' and database = (select oid from pg_database where datname = ${database.name})`;
    expect(locks).toEqual({ held: 0 });
  });

  it("statements with parameters, transactions and batches share few connections", async () => {
    const { sql } = database;
    const accountId = randomId("acct");
    const move = batchedMoves(sql, systemClock);
    await sql`
      select billing.credit(${accountId}, 'live', 'recharge', ${randomId("txn")}, 500::bigint, null, null, 'test', now())`;
    const reserves = Array.from({ length: 50 }, () => move(newMove(accountId, "reserve", 10n)));
    const sums = Array.from({ length: 20 }, (_, index) =>
      sql.begin(async (tx) => {
        await tx`select set_config('application_name', ${`test ${index}`}, true)`;
        const [row] = await tx`
          select ${index}::int as index, current_setting('application_name') as name`;
        return row;
      }),
    );
    for (const { outcome } of await Promise.all(reserves)) expect(outcome).toBe("ok");
    for (const [index, row] of (await Promise.all(sums)).entries()) {
      expect(row).toEqual({ index, name: `test ${index}` });
    }
    const [balance] = await sql`
      select available, reserved from billing.balances where account_id = ${accountId}`;
    expect(balance).toEqual({ available: 0n, reserved: 500n });
  });

  it("statements have the settings of the role, and a role without time limits is refused", async () => {
    const [settings] = await database.sql`
      select current_setting('statement_timeout') as statement,
        current_setting('idle_in_transaction_session_timeout') as idle,
        current_setting('enable_seqscan') as table_scans`;
    expect(settings).toEqual({ statement: "6s", idle: "5s", tableScans: "off" });
    await using unlimited = openPool(database.ownerUrl);
    const error: unknown = await unlimited`select 1`.catch((reason: unknown) => reason);
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(String(error)).toContain("has no statement_timeout");
  });
});
