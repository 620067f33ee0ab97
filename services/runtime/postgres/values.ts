/** Values in statements: words of a fixed list as literals, and rows as one JSON parameter, read as a recordset. */
import postgres from "postgres";
import type { Db } from "./connect.ts";

/**
 * `word` as a literal, so that a plan knows it: partial indexes of such rows can be used, and how many there are is
 * known. Throws unless it is a plain word. Each word makes another statement, so there must be few of them.
 */
export function literal(sql: Db, word: string): postgres.PendingQuery<postgres.Row[]> {
  if (!/^[a-z_]+$/.test(word)) throw new Error(`not a word for a literal: ${word}`);
  return sql.unsafe(`'${word}'`);
}

/** By key. There are as few as keys in the code; to make one takes as long as to write ten values. */
const columns = new Map<string, string>();

/** `rows` with their keys named like columns, and bigints as texts. */
export function jsonRecords(sql: Db, rows: readonly object[]) {
  return sql.json((rows as readonly Record<string, unknown>[]).map(toColumns) as never);
}

function toColumns(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const key of Object.keys(row)) {
    const value = row[key];
    record[columnOf(key)] = typeof value === "bigint" ? value.toString() : value;
  }
  return record;
}

/** The key in snake case, as columns and the documents' fields are named. */
export function columnOf(key: string): string {
  let column = columns.get(key);
  if (column === undefined) columns.set(key, (column = postgres.fromCamel(key)));
  return column;
}
