/** Rows of Postgres as fields of messages. */
import { timestampFromDate, type Timestamp } from "@bufbuild/protobuf/wkt";

type Fields<Row> = { [Name in keyof Row]?: Field<NonNullable<Row[Name]>> };
type Field<Value> = Value extends Date ? Timestamp : Value;

/** Of the row a message takes what it has a field for, by the same name; what is null is absent. */
export function fieldsOf<Row extends object>(row: Row): Fields<Row> {
  const fields = Object.entries(row).filter(([, value]) => value !== null);
  return Object.fromEntries(
    fields.map(([name, value]) => [name, value instanceof Date ? timestampFromDate(value) : value]),
  ) as Fields<Row>;
}
