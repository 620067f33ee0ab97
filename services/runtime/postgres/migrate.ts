/** Applies a service's pending migrations with dbmate; an advisory lock admits one migrator at a time. */
import { spawn } from "node:child_process";
import { resolveBinary } from "dbmate";
import postgres from "postgres";

export type Migration = { url: string; schema: string; directory: string };

/** Throws with the output of dbmate when a migration fails. */
export async function migrate({ url, schema, directory }: Migration): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await sql`select pg_advisory_lock(hashtext(${`migrate ${schema}`}))`;
    await run(url, schema, directory);
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
