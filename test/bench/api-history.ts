/** The service with years of data in its database, as the API benchmark compares it with one that is new. */
import { connectPostgres, type Sql } from "#runtime/postgres/connect.ts";
import { NO_LIMITS } from "#runtime/postgres/limits.ts";
import type { ServiceName } from "#runtime/service/service.ts";
import { passwordVariable } from "../../services/ops/session/config.ts";
import { rolesOf, SERVICES } from "../../services/ops/setup/provision.ts";
import type { BenchDatabase } from "./bench-database.ts";
import { fillTables } from "./fill-tables.ts";

/** The first account has a tenth of the history, and so many share the rest. */
const ACCOUNTS = 1_000;
/** 10 million generations reach back three years. */
const SECONDS_APART = 9;

/** Columns of a copied row that differ from its template: SQL of `n`, its number, and `t`, the template. */
type Differing = Record<string, string>;
type Table = { service: ServiceName; name: string; idColumn: string; differing: Differing };

const ACCOUNT = `accounts[case when n % 10 = 0 then 1 else 1 + n % ${ACCOUNTS} end]`;
const hashed = (prefix: string, text = "n::text") => `'${prefix}' || substr(md5(${text}), 1, 26)`;
const numbered = (column: string) => ({ [column]: `t.${column} || n` });
const earlier = (...columns: string[]) =>
  Object.fromEntries(
    columns.map((column) => [column, `t.${column} - (count - n) * interval '${SECONDS_APART} s'`]),
  );
const GENERATION_ID = hashed("vgen_");

const TABLES: Table[] = [
  {
    service: "generation",
    name: "generations",
    idColumn: "id",
    differing: {
      id: GENERATION_ID,
      ...numbered("submit_token"),
      ...numbered("upstream_id"),
      ...earlier("created_at", "submitted_at", "started_at", "completed_at"),
    },
  },
  {
    service: "generation",
    name: "submits",
    idColumn: "generation_id",
    differing: {
      generation_id: GENERATION_ID,
      ...numbered("submit_token"),
      ...numbered("upstream_id"),
      ...earlier("created_at"),
    },
  },
  {
    service: "billing",
    name: "holds",
    idColumn: "generation_id",
    differing: { generation_id: GENERATION_ID, ...earlier("created_at") },
  },
  {
    service: "billing",
    name: "entries",
    idColumn: "generation_id",
    differing: {
      id: hashed("txn_", "t.type || n"),
      generation_id: GENERATION_ID,
      ...earlier("created_at"),
    },
  },
  {
    service: "delivery",
    name: "assets",
    idColumn: "owner_id",
    differing: {
      owner_id: GENERATION_ID,
      token: "md5('token' || n)",
      ...earlier("reserved_at", "stored_at"),
    },
  },
];

/** What `npm start` needs to use the database. */
export function databaseEnv({ adminUrl }: BenchDatabase): Record<string, string> {
  const passwords = SERVICES.flatMap(rolesOf).map((role) => [passwordVariable(role), role]);
  return { DATABASE_URL: adminUrl, ...Object.fromEntries(passwords) };
}

/**
 * Copies what is stored of the finished generation `id` as `count` older generations, with ids as random as real ones,
 * of its account and others. `onFilled` hears the size of each table with its indexes.
 */
export async function fillHistory(
  database: BenchDatabase,
  id: string,
  count: number,
  onFilled: (table: string, bytes: number) => void,
): Promise<void> {
  for (const table of TABLES) {
    const { ownerUrl } = database.urls[table.service];
    const owner = connectPostgres({ url: ownerUrl, maxConnections: 1, limits: NO_LIMITS }, "bench");
    const name = `${table.service}.${table.name}`;
    await copyRows(owner, name, table, id, count);
    const [size] = await owner<{ bytes: bigint }[]>`
      select pg_total_relation_size(${name}::regclass) as bytes`;
    onFilled(name, Number(size?.bytes));
    await owner.end();
  }
  await database.checkpoint();
}

async function copyRows(
  owner: Sql,
  name: string,
  { idColumn, differing }: Table,
  id: string,
  count: number,
): Promise<void> {
  const columns = await owner<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = ${name}::regclass and attnum > 0 and not attisdropped and attidentity = ''`;
  const names = columns.map((column) => column.name);
  const values: Differing = { account_id: ACCOUNT, ...differing };
  const quoted = names.map((column) => `"${column}"`);
  const copied = names.map((column) => values[column] ?? `t."${column}"`);
  await owner.unsafe(
    `create temporary table template as select * from ${name} where ${idColumn} = '${id}'`,
  );
  await fillTables(owner, [name], count, ({ from, to }) =>
    owner.unsafe(`
      insert into ${name} (${quoted.join()})
      select ${copied.join()}
      from template t
      cross join (
        select array_agg(case when i = 0 then t.account_id else 'acct_' || substr(md5(i::text), 1, 26) end order by i)
          as accounts, ${count} as count
        from generate_series(0, ${ACCOUNTS - 1}) i, (select account_id from template limit 1) t) given
      cross join generate_series(${from}, ${to}) n`),
  );
}
