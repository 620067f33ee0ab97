/** A client that freezes in the middle of a statement loses its locks, whatever it holds them for. */
import { expect, it, vi } from "vitest";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import { type Limits, allowMuch } from "#runtime/postgres/limits.ts";
import { provision } from "../../../services/ops/setup/provision.ts";
import { startDatabaseProxy } from "../../support/database-proxy.ts";
import { testDatabase, testPassword } from "../../support/database.ts";
import {
  locateInstalledPostgres,
  startInstalledPostgres,
} from "../../support/installed-postgres.ts";
import { isLong } from "../../support/test-size.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

vi.setConfig({ testTimeout: 120_000 });
const LOCK = 20_261_123;

async function setUp(stack: AsyncDisposableStack, limits: Partial<Limits>) {
  const { url } = stack.use(await testDatabase("billing"));
  const proxy = stack.use(await startDatabaseProxy(url));
  const pool = (through: string, changed: Partial<Limits>) => {
    const sql = connectPostgres({ url: through, maxConnections: 1, limits: changed }, "test");
    stack.defer(() => sql.end({ timeout: 1 }));
    return sql;
  };
  // The frozen client does not close its connection either.
  const frozen = pool(proxy.through(url), { ...limits, silent: 0 });
  return { proxy, frozen, other: pool(url, { statement: 60_000, silent: 0 }) };
}

it("a client that freezes between the messages of a statement loses its lock to others", async () => {
  await using stack = new AsyncDisposableStack();
  const { proxy, frozen, other } = await setUp(stack, { transaction: 1_000 });
  const locked = Promise.withResolvers<void>();
  const ended = frozen.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${LOCK})`;
    // The driver sends a new statement first, and its values once Postgres has answered.
    proxy.freezeAfterNext();
    locked.resolve();
    await tx`select ${LOCK}::int as a_new_statement`;
  });
  ended.catch(() => {});
  await locked.promise;
  await other.begin((tx) => tx`select pg_advisory_xact_lock(${LOCK})`);
  proxy.cut();
  await expect(ended).rejects.toThrow("was lost");
});

it("a transaction that was given more time is not ended", async () => {
  await using stack = new AsyncDisposableStack();
  const { other } = await setUp(stack, {});
  await other`select set_config('transaction_timeout', '1000', false)`;
  await other.begin(async (tx) => {
    await allowMuch(tx, 60_000);
    await tx`select pg_sleep(1.5)`;
  });
  await expect(other.begin((tx) => tx`select pg_sleep(60)`)).rejects.toThrow("was lost");
});

const programs = locateInstalledPostgres();
it.runIf(isLong && programs)(
  "a Postgres that does not know the limit is used without it",
  async () => {
    await using folder = await temporaryFolder();
    await using server = await startInstalledPostgres(programs ?? "", folder.path);
    const { billing } = await provision(server.superuserUrl, "media", testPassword);
    const sql = connectPostgres({ url: billing.url, maxConnections: 1 }, "test");
    const asked = sql.begin(async (tx) => {
      await allowMuch(tx, 1_000);
      return tx`select 1 as one`;
    });
    expect(await asked).toEqual([{ one: 1 }]);
    await sql.end();
  },
);
