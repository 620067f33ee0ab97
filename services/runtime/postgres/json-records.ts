/** Rows as one JSON parameter, for jsonb_to_recordset. */
import postgres from "postgres";
import type { Db } from "./connect.ts";

/** `rows` with their keys named like columns; values are not changed. */
export function jsonRecords(sql: Db, rows: readonly object[]) {
  return sql.json(rows.map(toColumns) as never);
}

function toColumns(row: object) {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [postgres.fromCamel(key), value]),
  );
}
