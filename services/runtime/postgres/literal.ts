/** Words of a fixed list as literals of a statement. */
import type postgres from "postgres";
import type { Db } from "./connect.ts";

/**
 * `word` as a literal, so that a plan knows it: partial indexes of such rows can be used, and how many there are is
 * known. Throws unless it is a plain word. Each word makes another statement, so there must be few of them.
 */
export function literal(sql: Db, word: string): postgres.PendingQuery<postgres.Row[]> {
  if (!/^[a-z_]+$/.test(word)) throw new Error(`not a word for a literal: ${word}`);
  return sql.unsafe(`'${word}'`);
}
