/** Waits until another process has migrated a schema to what this code needs. */
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { Sql } from "./connect.ts";
import { requiredSchema, sqlFolders } from "./functions.ts";

const CHECK_EVERY_MS = 500;
const LOG_EVERY_CHECKS = 20;

/**
 * Resolves once all migrations of `directory` and the functions beside it have been applied, whoever did it; later
 * ones may have been, too, so that a release runs on the schema of the next. Says in the log what it waits for.
 */
export async function schemaReady(
  sql: Sql,
  { schema, directory }: { schema: string; directory: string },
  { clock, log }: { clock: Clock; log: Log },
): Promise<void> {
  const required = await requiredSchema(sqlFolders(directory));
  for (let checks = 0; ; checks++) {
    const reason = await missing(sql, schema, required);
    if (reason === undefined) return;
    if (checks % LOG_EVERY_CHECKS === 0) {
      log.warn({ schema, reason }, `waiting for the schema: run "ops migrate ${schema}"`);
    }
    await clock.sleep(CHECK_EVERY_MS);
  }
}

/** Why this code cannot run on the schema; undefined when it can. */
async function missing(
  sql: Sql,
  schema: string,
  { versions, sha256 }: { versions: string[]; sha256: string },
): Promise<string | undefined> {
  try {
    const applied = await sql<{ version: string }[]>`
      select version from ${sql(`${schema}.schema_migrations`)}`;
    const found = new Set(applied.map(({ version }) => version));
    const pending = versions.filter((version) => !found.has(version));
    if (pending.length > 0) return `migrations ${pending.join(", ")} are not applied`;
    const [functions] = await sql`
      select 1 as one from ${sql(`${schema}.schema_functions`)} where sha256 = ${sha256}`;
    return functions ? undefined : "its functions are not applied";
  } catch (error) {
    return (error as Error).message;
  }
}
