/** A migration does not hold up the service while it waits for a lock, and does not wait for ever. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";
import { migrate } from "#runtime/postgres/migrate.ts";
import { locateUnpacked } from "../../../scripts/test-tools.mjs";
import { takeDumpLocks } from "../../support/dump-locks.ts";
import { startPgbouncer } from "../../support/pgbouncer.ts";
import { openPool, unmigratedDatabase } from "../../support/database.ts";
import { forTests } from "../../support/for-tests.ts";
import { isLong } from "../../support/test-size.ts";
import { folderForTests } from "../../support/temporary-folder.ts";

vi.setConfig({ testTimeout: 120_000 });
const directory = join(folderForTests(), "migrations");
const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());
let version = 1;

const addMigration = (statement: string, options = "") =>
  writeFile(
    join(directory, `${String((version += 1)).padStart(4, "0")}_next.sql`),
    `-- migrate:up ${options}\n${statement};\n-- migrate:down\n`,
  );

const database = forTests(unmigratedDatabase);
const urls = forTests(() => database.urls.billing);
beforeAll(async () => {
  await mkdir(directory);
  await addMigration(
    "create table billing.things (id int); grant select, insert on billing.things to media_billing",
  );
  await migrate({ url: urls.ownerUrl, schema: "billing", directory });
});

const startDump = () =>
  takeDumpLocks(new URL(`/${database.name}`, inject("superuserUrl")).href, ["billing"]);

const inDatabase = () => `alter role media_billing_owner in database "${database.name}"`;
/** The role has a limit of ops provision, which databases of before do not have. */
const direct = async (url: string) => {
  await database.superuser.unsafe(`${inDatabase()} set lock_timeout = 0`);
  return url;
};
const throughPgbouncer = async (url: string) => {
  await database.superuser.unsafe(`${inDatabase()} reset lock_timeout`);
  const pgbouncer = stack.use(await startPgbouncer([url]));
  return pgbouncer.through(url);
};

type Way = [over: string, through: (url: string) => Promise<string>];
const WAYS: Way[] = [
  ["a connection of its own", direct],
  ...(locateUnpacked("pgbouncer") ? ([["PgBouncer", throughPgbouncer]] as Way[]) : []),
];

it.each(WAYS)(
  "a migration over %s lets inserts pass while a backup has its lock, says who has it, and goes on after it",
  async (_over, through) => {
    await using sql = openPool(urls.url, 4);
    await using dump = await startDump();
    const column = `c${version}`;
    await addMigration(`alter table billing.things add column ${column} int`);
    const waits: string[] = [];
    const holder = `pg_dump (role postgres, pid ${dump.pid})`;
    const twice = Promise.withResolvers<void>();
    const onWait = (reason: string) => {
      // On a slow machine a try may end before anybody has looked who has the lock.
      if (waits.push(reason) > 1 && reason.includes(holder)) twice.resolve();
    };
    const url = await through(urls.ownerUrl);
    const migrating = migrate({ url, schema: "billing", directory, onWait });
    // Each would fail after six seconds, as every statement of a service: without a limit they wait for the backup.
    const inserts = { isEnough: false, count: 0 };
    const inserting = (async () => {
      for (; !inserts.isEnough; inserts.count += 1)
        await sql`insert into billing.things select 1 from pg_sleep(0.05)`;
    })();
    await twice.promise;
    inserts.isEnough = true;
    await inserting;
    expect(inserts.count).toBeGreaterThan(1);
    await dump[Symbol.asyncDispose]();
    expect((await migrating).versions).toHaveLength(1);
    await sql`select ${sql(column)} from billing.things`;
  },
);

it.each(isLong ? WAYS : WAYS.slice(0, 1))(
  "an index that is made concurrently over %s waits for a backup, and is made again after it",
  async (_over, through) => {
    const index = `by_id_${version}`;
    await using dump = await startDump();
    await addMigration(
      `create index concurrently if not exists ${index} on billing.things (id)`,
      "transaction:false",
    );
    const waited = Promise.withResolvers<void>();
    const url = await through(urls.ownerUrl);
    const onWait = () => waited.resolve();
    const migrating = migrate({ url, schema: "billing", directory, onWait });
    await waited.promise;
    await dump[Symbol.asyncDispose]();
    expect((await migrating).versions).toHaveLength(1);
    await using sql = openPool(urls.ownerUrl);
    const indexes = await sql`
      select indisvalid from pg_index where indexrelid = to_regclass(${`billing.${index}`})`;
    expect(indexes).toMatchObject([{ indisvalid: true }]);
  },
);

it("a migration that does not get its lock gives up, and says what to do", async () => {
  await using _dump = await startDump();
  await addMigration(`alter table billing.things add column never${version} int`);
  const migrating = migrate({ url: urls.ownerUrl, schema: "billing", directory, patienceMs: 0 });
  await expect(migrating).rejects.toThrow(
    /^the schema billing was not migrated: a lock that it needs is held by (pg_dump \(role postgres, pid \d+\)|another session); wait until it ends or end it, then run ops migrate billing again$/,
  );
});

it("where nothing is to be done, a backup holds nothing up", async () => {
  await migrate({ url: urls.ownerUrl, schema: "billing", directory });
  await using _dump = await startDump();
  const waits: string[] = [];
  const onWait = (reason: string) => void waits.push(reason);
  const migrated = await migrate({ url: urls.ownerUrl, schema: "billing", directory, onWait });
  expect([migrated, waits]).toEqual([{ versions: [], hasNewFunctions: false }, []]);
});
