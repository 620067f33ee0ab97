/** Applies one service's SQL functions: each is whole in a file of its own, so that a change shows as a change. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Transaction } from "./connect.ts";

/** The folders of one service's SQL. */
export type SqlFolders = { migrations: string; functions: string };

/** The functions lie beside the migrations. */
export function sqlFolders(migrations: string): SqlFolders {
  return { migrations, functions: join(migrations, "..", "functions") };
}

/**
 * Runs all files of `functions` in the transaction, in the order of their names. Where nothing changed it does nothing
 * and returns false: the schema keeps a hash of the functions each time they are applied, and the latest one is compared.
 * The caller holds the lock that admits one migrator at a time.
 *
 * A file creates or replaces its function, drops the earlier one first where the signature changes, and grants it.
 * Tables must not depend on these functions: what a trigger, a default or an index calls belongs into a migration.
 * Releases that run side by side share the functions, and the one that starts last replaces them.
 */
export async function applyFunctions(
  tx: Transaction,
  schema: string,
  folders: SqlFolders,
): Promise<boolean> {
  const functions = await readFunctions(folders.functions);
  const sha256 = await hashOf(functions, folders.migrations);
  const table = tx(`${schema}.schema_functions`);
  await makeTable(tx, schema);
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
  await tx`delete from ${table} where sha256 = ${sha256}`;
  await tx`insert into ${table} (sha256) values (${sha256})`;
  return true;
}

/** Changes nothing where the table is as it should be: `alter table` would wait for every reader, a backup too. */
async function makeTable(tx: Transaction, schema: string): Promise<void> {
  const name = "schema_functions";
  const table = tx(`${schema}.${name}`);
  const [found] = await tx`
    select 1 as one from information_schema.columns
    where table_schema = ${schema} and table_name = ${name} and column_name = 'applied_at'`;
  if (found) return;
  await tx`create table if not exists ${table} (sha256 text not null)`;
  await tx`alter table ${table}
    add column if not exists applied_at timestamptz not null default clock_timestamp()`;
}

type FunctionFile = { name: string; text: string };

async function readFunctions(directory: string): Promise<FunctionFile[]> {
  const names = existsSync(directory) ? await sqlFiles(directory) : [];
  const read = async (name: string) => ({
    name,
    text: await readFile(join(directory, name), "utf8"),
  });
  return Promise.all(names.map(read));
}

/** Changes with the functions, and with the names of the migrations, because a migration may drop a function. */
async function hashOf(functions: readonly FunctionFile[], migrations: string): Promise<string> {
  const content = JSON.stringify([await sqlFiles(migrations), functions]);
  return createHash("sha256").update(content).digest("hex");
}

/** What a schema must have for this code: all its migrations and, once at least, its functions. */
export async function requiredSchema(
  folders: SqlFolders,
): Promise<{ versions: string[]; sha256: string }> {
  const migrations = await sqlFiles(folders.migrations);
  const functions = await readFunctions(folders.functions);
  return {
    versions: migrations.map((name) => name.split("_", 1)[0] ?? ""),
    sha256: await hashOf(functions, folders.migrations),
  };
}

async function sqlFiles(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => name.endsWith(".sql")).toSorted();
}
