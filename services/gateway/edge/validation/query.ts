/** Reads query parameters as the document declares them: absent ones have its defaults, integers are numbers. */
import type { ObjectSchema } from "./faults.ts";

type Property = { type?: unknown; default?: unknown };

/** More digits would become Infinity in JavaScript. */
const WHOLE_NUMBER = /^-?[0-9]{1,300}$/;

/** The converter of one operation's query. Anything but a whole number stays a string, for the checker to refuse. */
export function queryReader(schema: ObjectSchema): (query: unknown) => Record<string, unknown> {
  const properties = Object.entries(schema.properties ?? {}) as [string, Property][];
  const integers = new Set(
    properties.filter(([, { type }]) => type === "integer").map(([name]) => name),
  );
  const defaults = properties.flatMap(([name, { default: value }]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const valueOf = (name: string, value: unknown) => {
    const isNumber = integers.has(name) && typeof value === "string" && WHOLE_NUMBER.test(value);
    return isNumber ? Number(value) : value;
  };
  return (query) => {
    const entries = Object.entries(query as Record<string, unknown>);
    const given = entries.map(([name, value]) => [name, valueOf(name, value)] as const);
    return Object.fromEntries([...defaults, ...given]);
  };
}
