/** Migrations of a released service: none is edited, and each runs while replicas of two releases serve. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkMigrations, releaseMigrations } from "../../scripts/migrations.mjs";
import { temporaryFolder } from "../support/temporary-folder.ts";

const FOLDER = "services/billing/migrations";
const FIRST = "create schema billing; create table billing.balances (id text primary key);";

async function released() {
  const folder = await temporaryFolder();
  const write = (name: string, sql: string) =>
    writeFile(join(folder.path, FOLDER, name), `-- migrate:up\n${sql}\n\n-- migrate:down\n`);
  await mkdir(join(folder.path, FOLDER), { recursive: true });
  await write("0001_create_billing.sql", FIRST);
  releaseMigrations(folder.path);
  return { ...folder, write };
}

it("may be changed in place before the first release, and never after it", async () => {
  await using tree = await released();
  expect(await checkMigrations(tree.path)).toEqual({ ok: true, output: "" });
  await tree.write("0001_create_billing.sql", `${FIRST} -- Changed.`);
  expect(await checkMigrations(tree.path)).toEqual({
    ok: false,
    output: `${FOLDER}/0001_create_billing.sql is released: correct it with a new migration`,
  });
});

it("may change what replicas of both releases can work with", async () => {
  await using tree = await released();
  await tree.write(
    "0002_note.sql",
    `alter table billing.balances add column note text not null default '';
    alter table billing.balances add constraint short check (note <> '') not valid;`,
  );
  await tree.write("0003_valid.sql", "alter table billing.balances validate constraint short;");
  const index = "create index concurrently if not exists by_note on billing.balances (note);";
  const text = `-- migrate:up transaction:false\n${index}\n\n-- migrate:down\n`;
  await writeFile(join(tree.path, FOLDER, "0004_index.sql"), text);
  expect(await checkMigrations(tree.path)).toMatchObject({ ok: true });
});

it("may not lock a table for long, and not take away what the release before reads", async () => {
  const refused = {
    "require-concurrent-index-creation": "create index by_note on billing.balances (note);",
    "require-concurrent-index-deletion": "drop index billing.by_note;",
    "constraint-missing-not-valid":
      "alter table billing.balances add constraint c check (id <> '');",
    "adding-required-field": "alter table billing.balances add column note text not null;",
    "adding-not-nullable-field": "alter table billing.balances alter column note set not null;",
    "changing-column-type": "alter table billing.balances alter column id type bigint;",
    "renaming-column": "alter table billing.balances rename column id to name;",
    "ban-drop-column": "alter table billing.balances drop column id;",
    "ban-drop-table": "drop table billing.balances;",
  };
  await using tree = await released();
  const named = Object.keys(refused);
  for (const [at, sql] of Object.values(refused).entries()) await tree.write(`001${at}.sql`, sql);
  const { ok, output } = await checkMigrations(tree.path);
  const rules = named.filter((rule, at) =>
    output.split("\n").some((line) => line.includes(`001${at}.sql`) && line.includes(rule)),
  );
  expect({ ok, rules }).toEqual({ ok: false, rules: named });
});
