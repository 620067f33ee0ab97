/** Arrays for the driver, which would else ask each new connection for the types of the server. */
import type postgres from "postgres";

type Element = string | number | bigint | boolean | Date | null;
type Parse = (text: string) => Element;

/** How an element is read, by the type of the array in Postgres. */
const ELEMENTS: Record<number, Parse> = {
  1000: (text) => text === "t", // boolean[]
  1003: String, // name[]
  1005: Number, // smallint[]
  1007: Number, // integer[]
  1009: String, // text[]
  1016: BigInt, // bigint[]
  1021: Number, // real[]
  1022: Number, // double precision[]
  1185: (text) => new Date(text), // timestamptz[]
};

/** A quoted element, or one without quotes. */
const ELEMENT = /"((?:[^"\\]|\\.)*)"|([^{},]+)/gs;

/** Types for the options of the driver; arrays of other elements are not known, and none has a second dimension. */
export const arrayTypes = Object.fromEntries(
  Object.entries(ELEMENTS).map(([oid, parse]): [string, postgres.PostgresType] => [
    `array${oid}`,
    {
      to: Number(oid),
      from: [Number(oid)],
      serialize: (values: Element[]) => `{${values.map(literalOf).join()}}`,
      parse: (text: string) =>
        Array.from(text.matchAll(ELEMENT), ([, quoted, plain]) => {
          if (quoted !== undefined) return parse(quoted.replace(/\\(.)/gs, "$1"));
          return plain === "NULL" ? null : parse(plain ?? "");
        }),
    },
  ]),
);

function literalOf(value: Element): string {
  if (value === null) return "null";
  const text = value instanceof Date ? value.toISOString() : String(value);
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}
