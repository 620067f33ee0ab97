/** What the databases hold, to be searched for words whatever their encoding. */
import type { Sql } from "#runtime/postgres/connect.ts";

/** Every value of every table, as text. */
export async function valuesOf(sql: Sql, schema: string): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = ${schema} and table_type = 'BASE TABLE'`;
  const rows = await Promise.all(
    tables.map(({ name }) => sql`select * from ${sql(schema)}.${sql(name)}`),
  );
  return rows.flat().flatMap((row) =>
    Object.values(row).map((value: unknown) => {
      if (Buffer.isBuffer(value)) return value.toString("latin1");
      return typeof value === "string" ? value : (JSON.stringify(value, bigintAsText) ?? "");
    }),
  );
}

const bigintAsText = (_name: string, value: unknown): unknown =>
  typeof value === "bigint" ? `${value}` : value;

/** The text, and what is encoded in it as base64 or base64url. */
function decoded(text: string): string[] {
  const encoded = text.match(/[A-Za-z0-9+/_-]{16,}/g) ?? [];
  // It may begin anywhere in a run of such characters.
  const read = (part: string) =>
    [0, 1, 2, 3].map((from) => Buffer.from(part.slice(from), "base64").toString("latin1"));
  return [text, ...encoded.flatMap(read)];
}

export const betrays = (word: string) => (text: string) =>
  decoded(text).some((one) => one.toLowerCase().includes(word.toLowerCase()));
