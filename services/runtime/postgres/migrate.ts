/** Brings one service's schema up to date, one migrator at a time: tables with dbmate, then functions. */
import { spawn } from "node:child_process";
import { resolveBinary } from "dbmate";
import { systemClock } from "../clock.ts";
import { connectPostgres, findPrimary } from "./connect.ts";
import type { Sql, Transaction } from "./connect.ts";
import { parseDatabaseUrl, urlForOtherClients } from "./database-url.ts";
import { applyFunctions, sqlFolders } from "./functions.ts";
import { NO_LIMITS } from "./limits.ts";

/** `directory` holds the migrations. */
export type Migration = { url: string; schema: string; directory: string };

/** What there was to do: the versions of the migrations that were applied, and whether functions were. */
export type Migrated = { versions: string[]; hasNewFunctions: boolean };

const LOCKED_RETRY_MS = 100;

/**
 * Applies pending migrations, then changed functions. Throws where the role may not, and with the output of dbmate when a
 * migration fails.
 */
export async function migrate({ url, schema, directory }: Migration): Promise<Migrated> {
  const pool = { url, maxConnections: 1, limits: NO_LIMITS };
  const sql = connectPostgres(pool, `migrate ${schema}`);
  try {
    let migrated: Migrated | undefined;
    while (!(migrated = await migrateIfFirst(sql, { url, schema, directory }))) {
      await systemClock.sleep(LOCKED_RETRY_MS);
    }
    return migrated;
  } finally {
    await sql.end();
  }
}

/** Undefined when another migrator is at work; waiting for its lock would take a connection that it may need. */
function migrateIfFirst(
  sql: Sql,
  { url, schema, directory }: Migration,
): Promise<Migrated | undefined> {
  return sql.begin(async (tx) => {
    // A lock of a session, or a limit of one, would not be this process's alone behind PgBouncer.
    const [first] = await tx<{ isLocked: boolean }[]>`
      select pg_try_advisory_xact_lock(hashtext(${`migrate ${schema}`})) as is_locked,
        set_config('statement_timeout', '0', true),
        set_config('idle_in_transaction_session_timeout', '0', true)`;
    if (!first?.isLocked) return undefined;
    await requireOwner(tx, schema);
    const before = await appliedVersions(tx, schema);
    await run(await urlForDbmate(url), schema, directory);
    const after = await appliedVersions(tx, schema);
    const hasNewFunctions = await applyFunctions(tx, schema, sqlFolders(directory));
    // Replicas read there whether the schema is what their code needs.
    const done = tx([`${schema}.schema_migrations`, `${schema}.schema_functions`]);
    await tx`grant select on ${done} to ${tx(`media_${schema}`)}`;
    return { versions: after.filter((version) => !before.includes(version)), hasNewFunctions };
  });
}

/** Tables that another role makes would not be the owner's. */
async function requireOwner(tx: Transaction, schema: string): Promise<void> {
  const [found] = await tx<{ role: string; owner: string; may: boolean }[]>`
    select current_user as role, pg_get_userbyid(nspowner) as owner, pg_has_role(nspowner, 'usage') as may
    from pg_namespace where nspname = ${schema}`;
  if (!found) throw new Error(`the database has no schema ${schema}: run ops provision first`);
  if (found.may) return;
  throw new Error(`${found.role} may not migrate the schema ${schema}: do it as ${found.owner}`);
}

/** None before the first migration. */
async function appliedVersions(tx: Transaction, schema: string): Promise<string[]> {
  const name = "schema_migrations";
  // to_regclass may answer from what this transaction knew before dbmate made the table.
  const [found] = await tx`
    select 1 as one from pg_tables where schemaname = ${schema} and tablename = ${name}`;
  if (!found) return [];
  const rows = await tx<{ version: string }[]>`
    select version from ${tx(`${schema}.${name}`)} order by version`;
  return rows.map(({ version }) => version);
}

async function urlForDbmate(url: string): Promise<string> {
  const result = new URL(urlForOtherClients(url, await findPrimary(url)));
  const { tls, isPooled } = parseDatabaseUrl(url);
  if (!tls) result.searchParams.set("sslmode", "disable");
  // Sends a statement and its parameters at once: PgBouncer may give two messages to two servers.
  if (isPooled) result.searchParams.set("binary_parameters", "yes");
  return result.href;
}

function run(url: string, schema: string, directory: string): Promise<void> {
  const args = [
    "--migrations-dir",
    directory,
    "--migrations-table",
    `${schema}.schema_migrations`,
    "--no-dump-schema",
    "migrate",
  ];
  const child = spawn(resolveBinary(), args, {
    env: { DATABASE_URL: url },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => output.push(chunk));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) return resolve();
      const text = Buffer.concat(output).toString().trim();
      return reject(new Error(`migration of schema ${schema} failed: ${text}`));
    });
  });
}
