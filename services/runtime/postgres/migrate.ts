/** Brings one service's schema up to date, one migrator at a time: tables with dbmate, then functions. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { resolveBinary } from "dbmate";
import postgres from "postgres";
import { applyFunctions } from "./functions.ts";

/** `directory` holds the migrations; the functions lie beside it. */
export type Migration = { url: string; schema: string; directory: string };

/** Applies pending migrations, then changed functions. Throws with the output of dbmate when a migration fails. */
export async function migrate({ url, schema, directory }: Migration): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await sql`select pg_advisory_lock(hashtext(${`migrate ${schema}`}))`;
    await run(url, schema, directory);
    const functions = join(directory, "..", "functions");
    await applyFunctions(sql, schema, { migrations: directory, functions });
    // Replicas read there whether the schema is what their code needs.
    const done = sql([`${schema}.schema_migrations`, `${schema}.schema_functions`]);
    await sql`grant select on ${done} to ${sql(`media_${schema}`)}`;
  } finally {
    await sql.end();
  }
}

function run(url: string, schema: string, directory: string): Promise<void> {
  const withoutTls = new URL(url);
  if (!withoutTls.searchParams.has("sslmode")) withoutTls.searchParams.set("sslmode", "disable");
  const args = [
    "--migrations-dir",
    directory,
    "--migrations-table",
    `${schema}.schema_migrations`,
    "--no-dump-schema",
    "migrate",
  ];
  const child = spawn(resolveBinary(), args, {
    env: { DATABASE_URL: withoutTls.href },
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
