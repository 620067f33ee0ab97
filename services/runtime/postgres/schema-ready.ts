/** Waits until another process has migrated a schema to what this code needs. */
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { Sql } from "./connect.ts";
import { DatabaseUnavailable } from "./unavailable.ts";
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
    const lack = await missing(sql, schema, required);
    if (lack === undefined) return;
    if (checks % LOG_EVERY_CHECKS === 0) {
      log.warn({ schema, reason: lack.reason }, `waiting for ${lack.thing}`);
    }
    await clock.sleep(CHECK_EVERY_MS);
  }
}

type Lack = { thing: string; reason: string };

const INSUFFICIENT_PRIVILEGE = "42501";

/** What this code cannot run without, and why; undefined when it can. */
async function missing(
  sql: Sql,
  schema: string,
  { versions, sha256 }: { versions: string[]; sha256: string },
): Promise<Lack | undefined> {
  const migration = (reason: string): Lack => ({
    thing: `the schema: run "ops migrate ${schema}"`,
    reason,
  });
  try {
    const applied = await sql<{ version: string }[]>`
      select version from ${sql(`${schema}.schema_migrations`)}`;
    const found = new Set(applied.map(({ version }) => version));
    const pending = versions.filter((version) => !found.has(version));
    if (pending.length > 0) return migration(`migrations ${pending.join(", ")} are not applied`);
    const [functions] = await sql`
      select 1 as one from ${sql(`${schema}.schema_functions`)} where sha256 = ${sha256}`;
    return functions ? undefined : migration("its functions are not applied");
  } catch (error) {
    const { message: reason, code } = error as Error & { code?: string };
    if (error instanceof DatabaseUnavailable) return { thing: "Postgres", reason };
    if (code !== INSUFFICIENT_PRIVILEGE) return migration(reason);
    return { thing: `the rights of the role: DATABASE_URL must name media_${schema}`, reason };
  }
}
