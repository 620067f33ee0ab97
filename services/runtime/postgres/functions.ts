/** Applies one service's SQL functions: each is whole in its file, so that a change shows as a change. */
import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Transaction } from "./connect.ts";

/** What was applied to a schema: each time a row, with hashes. */
const TABLE = "schema_functions";

/**
 * Runs all files of the folder `functions`, which is beside that of the migrations, in the transaction, in the order of
 * their names. Where nothing changed it does nothing and returns false: the schema keeps a hash of the functions each time
 * they are applied, and the latest one is compared.
 * The caller holds the lock that admits one migrator at a time.
 *
 * A file creates or replaces its functions, drops an earlier one first where the signature changes, and grants those
 * that the service calls. Nobody else may call any: Postgres lets all do so until it is revoked.
 * Tables must not depend on these functions: what a trigger, a default or an index calls belongs into a migration.
 * Releases that run side by side share the functions, and the one that starts last replaces them.
 */
export async function applyFunctions(
  tx: Transaction,
  schema: string,
  directory: string,
): Promise<boolean> {
  const { functions, sha256, firstMigration } = await readSql(directory);
  const table = tx(`${schema}.${TABLE}`);
  // The migrator of 1.0.0, by which one goes back, reads first_migration.
  await tx`create table if not exists ${table} (sha256 text not null, first_migration text not null,
    applied_at timestamptz not null default clock_timestamp())`;
  const [applied] = await tx<{ sha256: string }[]>`
    select sha256 from ${table} order by applied_at desc limit 1`;
  if (applied?.sha256 === sha256) return false;
  for (const { name, text } of functions) {
    await tx.unsafe(text).catch((cause: Error) => {
      throw new Error(`function file ${name} of schema ${schema} failed: ${cause.message}`, {
        cause,
      });
    });
  }
  await tx`revoke all on all functions in schema ${tx(schema)} from public`;
  await tx`delete from ${table} where sha256 = ${sha256}`;
  await tx`insert into ${table} (sha256, first_migration) values (${sha256}, ${firstMigration})`;
  return true;
}

/** What a schema must have for this code: all its migrations and, once at least, its functions. */
export async function requiredSchema(
  directory: string,
): Promise<{ versions: string[]; sha256: string }> {
  const { migrations, sha256 } = await readSql(directory);
  return { versions: migrations.map(({ name }) => name.split("_", 1)[0] ?? ""), sha256 };
}

/** `sha256` changes with every file, because a migration may drop a function. */
async function readSql(directory: string) {
  const migrations = await sqlFiles(directory);
  const folder = join(directory, "..", "functions");
  const functions = existsSync(folder) ? await sqlFiles(folder) : [];
  const sha256 = hash("sha256", JSON.stringify([migrations, functions]));
  const firstMigration = hash("sha256", migrations[0]?.text ?? "");
  return { migrations, functions, sha256, firstMigration };
}

async function sqlFiles(directory: string): Promise<{ name: string; text: string }[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".sql")).toSorted();
  const read = async (name: string) => ({
    name,
    text: await readFile(join(directory, name), "utf8"),
  });
  return Promise.all(names.map(read));
}
