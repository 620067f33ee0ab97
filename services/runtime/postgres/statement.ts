/** The names of statements for metrics and traces, and arrays for the driver. */
import type postgres from "postgres";
import type { WorkContext } from "../work-context.ts";

export type StatementObserver = {
  /** Called when a statement has ended. `sentFrom` is what it was sent for; `error` what it failed with. */
  ended: (statement: string, ms: number, sentFrom: WorkContext, error?: unknown) => void;
};

/** Not `for update`, and also behind a `with`. */
const WRITE = /\b(?:(insert)\s+into|(delete)\s+from|(update)\s+"?\w+"?\.)/i;
const READ = /\bselect\b/i;
const TABLE = /\b(?:gateway|generation|billing|delivery)"?\."?(\w+)/;
/** Each call site has one template, so that its name is found once. */
const names = new WeakMap<readonly string[], string>();

/** `text` is the template of a statement; values are never part of it. */
export function statementName(text: readonly string[]): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const whole = text.join("$");
  const [, insert, deletion, update] = WRITE.exec(whole) ?? [];
  const verb = insert ?? deletion ?? update ?? (READ.test(whole) ? "select" : "other");
  const table = TABLE.exec(whole)?.[1];
  const name = table === undefined ? verb : `${verb} ${table}`;
  names.set(text, name);
  return name;
}

type Element = string | number | bigint | null;

/** How an element is read, by the type of the array in Postgres. */
const ELEMENTS: Record<number, (text: string) => Element> = {
  1007: Number, // integer[]
  1009: String, // text[]
  1016: BigInt, // bigint[]
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
  return value === null ? "null" : `"${String(value).replace(/["\\]/g, "\\$&")}"`;
}
