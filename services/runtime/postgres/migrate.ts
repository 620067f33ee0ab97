/** Brings one service's schema up to date, one migrator at a time: tables with dbmate, then functions. */
import { spawn } from "node:child_process";
import { resolveBinary } from "dbmate";
import { systemClock } from "../clock.ts";
import { connectPostgres, findPrimary } from "./connect.ts";
import type { Sql } from "./connect.ts";
import { parseDatabaseUrl, urlForOtherClients } from "./database-url.ts";
import { applyFunctions, sqlFolders } from "./functions.ts";
import { NO_LIMITS } from "./limits.ts";

/** `directory` holds the migrations. */
export type Migration = { url: string; schema: string; directory: string };

const LOCKED_RETRY_MS = 100;

/** Applies pending migrations, then changed functions. Throws with the output of dbmate when a migration fails. */
export async function migrate({ url, schema, directory }: Migration): Promise<void> {
  const pool = { url, maxConnections: 1, limits: NO_LIMITS };
  const sql = connectPostgres(pool, `migrate ${schema}`);
  try {
    while (!(await migrateIfFirst(sql, { url, schema, directory }))) {
      await systemClock.sleep(LOCKED_RETRY_MS);
    }
  } finally {
    await sql.end();
  }
}

/** False when another migrator is at work; waiting for its lock would take a connection that it may need. */
function migrateIfFirst(sql: Sql, { url, schema, directory }: Migration): Promise<boolean> {
  return sql.begin(async (tx) => {
    // A lock of a session, or a limit of one, would not be this process's alone behind PgBouncer.
    const [first] = await tx<{ isLocked: boolean }[]>`
      select pg_try_advisory_xact_lock(hashtext(${`migrate ${schema}`})) as is_locked,
        set_config('statement_timeout', '0', true),
        set_config('idle_in_transaction_session_timeout', '0', true)`;
    if (!first?.isLocked) return false;
    await run(await urlForDbmate(url), schema, directory);
    await applyFunctions(tx, schema, sqlFolders(directory));
    // Replicas read there whether the schema is what their code needs.
    const done = tx([`${schema}.schema_migrations`, `${schema}.schema_functions`]);
    await tx`grant select on ${done} to ${tx(`media_${schema}`)}`;
    return true;
  });
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
