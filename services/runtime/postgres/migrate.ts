/** Brings one service's schema up to date, one migrator at a time: tables, then functions. */
import { systemClock, within } from "../clock.ts";
import { connectPostgres, type Sql } from "./connect.ts";
import { applyFunctions, readSql, versionOf, type SqlFile } from "./functions.ts";
import { ANY_PLAN, NO_LIMITS } from "./limits.ts";

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
const LOCK_TIMEOUT = "55P03";

/**
 * Applies pending migrations, then changed functions. A migration that does not get its lock at once is tried again.
 * Throws where the role may not, when a lock was not given within `patienceMs`, and when a migration fails.
 */
export async function migrate(migration: Migration): Promise<Migrated> {
  const { url, schema, onWait, patienceMs = PATIENCE_MS } = migration;
  const untilMs = systemClock.monotonicMs() + patienceMs;
  // Behind PgBouncer, which passes on no settings, the role has this limit.
  const settings = { lock_timeout: MIGRATION_LOCK_MS, ...ANY_PLAN };
  // One for the lock of migrators, one for a migration, one to see who has a lock.
  const pool = { url, maxConnections: 3, limits: NO_LIMITS, settings };
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
  { schema, directory }: Migration,
  holders: Set<string>,
): Promise<Migrated | undefined> {
  return sql.begin(async (tx) => {
    // A lock of a session would not be this process's alone behind PgBouncer.
    // This transaction has no snapshot while migrations run, because an index that is made concurrently would wait for its end.
    // A statement with parameters keeps one, so this statement has none; the next ones use connections of their own.
    const [first] = await tx.unsafe<{ isLocked: boolean }[]>(
      `select pg_try_advisory_xact_lock(hashtext('migrate ${schema}')) as is_locked`,
    );
    if (!first?.isLocked) return undefined;
    await requireOwner(sql, schema);
    const pending = await pendingMigrations(sql, schema, directory);
    await dropInvalidIndexes(sql, schema);
    for (const file of pending) {
      const applied = apply(sql, schema, file).then(() => true);
      while (!(await within(systemClock, LOOK_MS, applied))) {
        for (const holder of await lockHolders(sql)) holders.add(holder);
      }
    }
    const hasNewFunctions = await applyFunctions(tx, schema, directory);
    // Replicas read there whether the schema is what their code needs.
    const done = tx([`${schema}.schema_migrations`, `${schema}.schema_functions`]);
    await tx`grant select on ${done} to ${tx(`media_${schema}`)}`;
    return { versions: pending.map(versionOf), hasNewFunctions };
  });
}

async function pendingMigrations(sql: Sql, schema: string, directory: string): Promise<SqlFile[]> {
  const table = sql(`${schema}.schema_migrations`);
  await sql`create table if not exists ${table} (version varchar(128) primary key)`;
  const applied = await sql<{ version: string }[]>`select version from ${table}`;
  const known = new Set(applied.map(({ version }) => version));
  const { migrations } = await readSql(directory);
  return migrations.filter((file) => !known.has(versionOf(file)));
}

/** Runs what is above `-- migrate:down`, and notes it: in one transaction, unless the file says `transaction:false`. */
async function apply(sql: Sql, schema: string, file: SqlFile): Promise<void> {
  const [up = ""] = file.text.split(/^-- migrate:down/m);
  const note = `insert into ${schema}.schema_migrations (version) values ('${versionOf(file)}')`;
  const isWhole = !/^-- migrate:up.*transaction:false/m.test(up);
  try {
    // Postgres takes several statements without parameters as one transaction.
    for (const statements of isWhole ? [`${up}; ${note}`] : [up, note])
      await sql.unsafe(statements);
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(`migration ${file.name} of schema ${schema} failed: ${message}`, { cause });
  }
}

/** Who has what another session of this role, the one that migrates, waits for. */
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
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return code === LOCK_TIMEOUT || (cause !== undefined && isLockTimeout(cause));
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
