/** A migration is applied whole; a service's SQL functions after them, whenever they changed and only then. */
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { applyFunctions } from "#runtime/postgres/functions.ts";
import { migrate } from "#runtime/postgres/migrate.ts";
import { openPool, unmigratedDatabase } from "../../support/database.ts";
import { forTests } from "../../support/for-tests.ts";
import { folderForTests } from "../../support/temporary-folder.ts";

const PRICE = (tokens: number) => `
  create or replace function billing.price() returns integer language sql as 'select ${tokens}';
  grant execute on function billing.price to media_billing;`;

/** `sql` is the service's role. */
const database = forTests(async (stack) => {
  const { urls } = stack.use(await unmigratedDatabase());
  const { url, ownerUrl } = urls.billing;
  return { ownerUrl, owner: stack.use(openPool(ownerUrl)), sql: stack.use(openPool(url)) };
});
const parent = folderForTests();
let folder: string;

const write = (file: string, text: string) => writeFile(join(folder, file), text);
const directory = () => join(folder, "migrations");
const migrated = () =>
  migrate({ url: database.ownerUrl, schema: "billing", directory: directory() });
/** What `migrate` does at last. */
const apply = () => database.owner.begin((tx) => applyFunctions(tx, "billing", directory()));
const price = async () => (await database.sql`select billing.price() as price`)[0]?.["price"];
/** Changes with every `create or replace`. */
const version = async () =>
  (await database.owner`select xmin::text as xmin from pg_proc where proname = 'price'`)[0]?.[
    "xmin"
  ];

beforeEach(async () => {
  folder = await mkdtemp(join(parent, "of-a-test-"));
  await mkdir(join(folder, "migrations"));
  await mkdir(join(folder, "functions"));
  await write("migrations/0001_create_items.sql", "-- migrate:up\n\n-- migrate:down\n");
  await database.owner`drop function if exists billing.price, billing.cost`;
  await database.owner`drop table if exists billing.schema_migrations, billing.schema_functions`;
});

it("of a migration that fails nothing stays, also where its note fails", async () => {
  await migrated();
  const twice = `create table billing.twice (); insert into billing.schema_migrations values ('0002');`;
  await write("migrations/0002_twice.sql", `-- migrate:up\n${twice}\n-- migrate:down\n`);
  await expect(migrated()).rejects.toThrow("duplicate key");
  expect(await database.owner`select to_regclass('billing.twice') as found`).toEqual([
    { found: null },
  ]);
});

describe("the functions of a service", () => {
  it("are applied again where a file changed or the note of them is lost, and left alone where nothing did", async () => {
    await write("functions/price.sql", PRICE(1));
    expect(await apply()).toBe(true);
    const before = await version();
    expect(await apply()).toBe(false);
    expect(await version()).toBe(before);
    await write("functions/price.sql", PRICE(2));
    expect(await apply()).toBe(true);
    expect(await price()).toBe(2);
    await database.owner`drop table billing.schema_functions`;
    expect(await apply()).toBe(true);
  });

  it("are called by nobody to whom they are not granted", async () => {
    const cost =
      "create or replace function billing.cost() returns integer language sql as 'select 1'";
    await write("functions/price.sql", `${PRICE(1)} ${cost};`);
    await apply();
    await expect(database.sql`select billing.cost()`).rejects.toThrow("permission denied");
  });

  it("are applied again after a migration that dropped one", async () => {
    await write("functions/price.sql", PRICE(1));
    await migrated();
    await write(
      "migrations/0002_drop.sql",
      "-- migrate:up\ndrop function billing.price;\n-- migrate:down\n",
    );
    await migrated();
    expect(await price()).toBe(1);
  });

  it("are applied once by processes that start at the same time", async () => {
    await write(
      "functions/price.sql",
      `${PRICE(1)}
      create table if not exists billing.runs (at timestamptz not null);
      insert into billing.runs (at) values (clock_timestamp());`,
    );
    await Promise.all(Array.from({ length: 3 }, migrated));
    expect(await database.owner`select 1 as one from billing.runs`).toHaveLength(1);
    expect(await price()).toBe(1);
  });

  it("are all as they were where one file fails", async () => {
    await write("functions/price.sql", PRICE(1));
    await apply();
    await write("functions/price.sql", PRICE(2));
    await write("functions/quote.sql", "create or replace function billing.quote() nonsense;");
    await expect(apply()).rejects.toThrow(/quote\.sql of schema billing failed/);
    expect(await price()).toBe(1);
  });
});
