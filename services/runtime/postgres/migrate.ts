/** Brings one service's schema up to date, one migrator at a time: tables with dbmate, then functions. */
import { execFile, type ExecFileException } from "node:child_process";
import { promisify } from "node:util";
import { resolveBinary } from "dbmate";
import { systemClock, within } from "../clock.ts";
import { connectPostgres, findPrimary, type Sql, type Transaction } from "./connect.ts";
import { parseDatabaseUrl, urlForOtherClients } from "./database-url.ts";
import { applyFunctions } from "./functions.ts";
import { NO_LIMITS } from "./limits.ts";

/** `directory` holds the migrations. */
export type Migration = {
  url: string;
  schema: string;
  directory: string;
  /** Hears why a migration that could not get a lock waits, before it is tried again. */
  onWait?: (reason: string) => void;
  /** How long it is tried. */
  patienceMs?: number;
};

/** What there was to do: the versions of the migrations that were applied, and whether functions were. */
export type Migrated = { versions: string[]; hasNewFunctions: boolean };

const LOCKED_RETRY_MS = 100;
/** Services' statements queue behind the waiting migration, so this is less than a gateway's patience. */
export const MIGRATION_LOCK_MS = 200;
/** Then the services have this time. */
const LOCK_RETRY_MS = 1_000;
const PATIENCE_MS = 10 * 60_000;
/** How often is looked who holds a lock. */
const LOOK_MS = 50;
/** The words of Postgres in English, or its code. */
const LOCK_TIMEOUT = /lock timeout|55P03/;

/**
 * Applies pending migrations, then changed functions. Tries again while a migration does not get its lock. Throws where
 * the role may not, after `patienceMs` without a lock, and with the output of dbmate when a migration fails.
 */
export async function migrate(migration: Migration): Promise<Migrated> {
  const { url, schema, onWait, patienceMs = PATIENCE_MS } = migration;
  const untilMs = systemClock.monotonicMs() + patienceMs;
  // One for the lock of migrators, one for what is done beside it.
  const pool = { url, maxConnections: 2, limits: NO_LIMITS };
  const sql = connectPostgres(pool, `migrate ${schema}`);
  try {
    let holder = "another session";
    for (;;) {
      const holders = new Set<string>();
      try {
        const migrated = await migrateIfFirst(sql, migration, holders);
        if (migrated) return migrated;
        await systemClock.sleep(LOCKED_RETRY_MS);
      } catch (error) {
        if (!isLockTimeout(error)) throw error;
        holder = [...holders].join(", ") || holder;
        const reason = `a lock that it needs is held by ${holder}`;
        if (systemClock.monotonicMs() >= untilMs) throw gaveUp(schema, reason, error);
        onWait?.(reason);
        await systemClock.sleep(LOCK_RETRY_MS);
      }
    }
  } finally {
    await sql.end();
  }
}

/** Undefined when another migrator is at work; waiting for its lock would take a connection that it may need. */
function migrateIfFirst(
  sql: Sql,
  { url, schema, directory }: Migration,
  holders: Set<string>,
): Promise<Migrated | undefined> {
  return sql.begin(async (tx) => {
    // A lock of a session, or a limit of one, would not be this process's alone behind PgBouncer.
    // While dbmate runs, this transaction has no snapshot, because an index that is made concurrently would wait for its end.
    // A statement with parameters keeps one, so this statement has none; the next ones use a connection of their own.
    const [first] = await tx.unsafe<{ isLocked: boolean }[]>(`
      select pg_try_advisory_xact_lock(hashtext('migrate ${schema}')) as is_locked,
        set_config('statement_timeout', '0', true),
        set_config('lock_timeout', '${MIGRATION_LOCK_MS}', true),
        set_config('idle_in_transaction_session_timeout', '0', true)`);
    if (!first?.isLocked) return undefined;
    await requireOwner(sql, schema);
    const before = await appliedVersions(sql, schema);
    await dropInvalidIndexes(sql, schema);
    const applied = run(await urlForDbmate(url), schema, directory).then(() => true);
    while (!(await within(systemClock, LOOK_MS, applied))) {
      for (const holder of await lockHolders(sql)) holders.add(holder);
    }
    const after = await appliedVersions(tx, schema);
    const hasNewFunctions = await applyFunctions(tx, schema, directory);
    // Replicas read there whether the schema is what their code needs.
    const done = tx([`${schema}.schema_migrations`, `${schema}.schema_functions`]);
    await tx`grant select on ${done} to ${tx(`media_${schema}`)}`;
    return { versions: after.filter((version) => !before.includes(version)), hasNewFunctions };
  });
}

/** Who has what another session of this role, which is dbmate's, waits for. */
async function lockHolders(sql: Sql): Promise<string[]> {
  const found = await sql<{ name: string; role: string; pid: number }[]>`
    select distinct coalesce(nullif(holder.application_name, ''), 'a session') as name,
      coalesce(holder.usename, '?') as role, holder.pid
    from pg_stat_activity waiting
    cross join unnest(pg_blocking_pids(waiting.pid)) as blocking (pid)
    join pg_stat_activity holder on holder.pid = blocking.pid
    where waiting.datname = current_database() and waiting.usename = current_user
      and holder.pid <> pg_backend_pid()`;
  return found.map(({ name, role, pid }) => `${name} (role ${role}, pid ${pid})`);
}

/** Those that `create index concurrently` left where it got no lock: the migration makes them again. */
async function dropInvalidIndexes(sql: Sql, schema: string): Promise<void> {
  const invalid = await sql<{ name: string }[]>`
    select relname as name from pg_index
    join pg_class c on c.oid = indexrelid join pg_namespace n on n.oid = relnamespace
    where not indisvalid and nspname = ${schema}`;
  for (const { name } of invalid)
    await sql`drop index concurrently if exists ${sql(`${schema}.${name}`)}`;
}

function isLockTimeout(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: string };
  return LOCK_TIMEOUT.test(`${String(code)} ${message}`);
}

function gaveUp(schema: string, reason: string, cause: unknown): Error {
  const advice = `wait until it ends or end it, then run ops migrate ${schema} again`;
  return new Error(`the schema ${schema} was not migrated: ${reason}; ${advice}`, { cause });
}

/** Tables that another role makes would not be the owner's. */
async function requireOwner(sql: Sql, schema: string): Promise<void> {
  const [found] = await sql<{ role: string; owner: string; may: boolean }[]>`
    select current_user as role, pg_get_userbyid(nspowner) as owner, pg_has_role(nspowner, 'usage') as may
    from pg_namespace where nspname = ${schema}`;
  if (!found) throw new Error(`the database has no schema ${schema}: run ops provision first`);
  if (found.may) return;
  throw new Error(`${found.role} may not migrate the schema ${schema}: do it as ${found.owner}`);
}

/** None before the first migration. */
async function appliedVersions(sql: Sql | Transaction, schema: string): Promise<string[]> {
  const name = "schema_migrations";
  // to_regclass may answer from what this transaction knew before dbmate made the table.
  const [found] = await sql`
    select 1 as one from pg_tables where schemaname = ${schema} and tablename = ${name}`;
  if (!found) return [];
  const rows = await sql<{ version: string }[]>`
    select version from ${sql(`${schema}.${name}`)} order by version`;
  return rows.map(({ version }) => version);
}

async function urlForDbmate(url: string): Promise<string> {
  const result = new URL(urlForOtherClients(url, await findPrimary(url)));
  const { tls, isPooled } = parseDatabaseUrl(url);
  if (!tls) result.searchParams.set("sslmode", "disable");
  // PgBouncer takes no such parameter: there it is the role's, of ops provision.
  if (!isPooled) result.searchParams.set("lock_timeout", String(MIGRATION_LOCK_MS));
  // Sends a statement and its parameters at once: PgBouncer may give two messages to two servers.
  if (isPooled) result.searchParams.set("binary_parameters", "yes");
  return result.href;
}

async function run(url: string, schema: string, directory: string): Promise<void> {
  const args = [
    "--migrations-dir",
    directory,
    "--migrations-table",
    `${schema}.schema_migrations`,
    "--no-dump-schema",
    "migrate",
  ];
  const options = { env: { DATABASE_URL: url }, maxBuffer: Infinity };
  await promisify(execFile)(resolveBinary(), args, options).catch((fault: ExecFileException) => {
    const output = `${fault.stdout}${fault.stderr}`.trim() || fault.message;
    throw new Error(`migration of schema ${schema} failed: ${output}`);
  });
}
