/** Converts query parameters to the document's types: strings, except those its schema declares integers. */
import type { ObjectSchema } from "./faults.ts";

/** More digits would become Infinity in JavaScript. */
const WHOLE_NUMBER = /^-?[0-9]{1,300}$/;

/** The converter of one operation's query. Anything but a whole number stays a string, for the checker to refuse. */
export function queryReader(schema: ObjectSchema): (query: unknown) => Record<string, unknown> {
  const integers = new Set(
    Object.entries(schema.properties ?? {})
      .filter(([, property]) => (property as { type?: unknown }).type === "integer")
      .map(([name]) => name),
  );
  const valueOf = (name: string, value: unknown) => {
    const isNumber = integers.has(name) && typeof value === "string" && WHOLE_NUMBER.test(value);
    return isNumber ? Number(value) : value;
  };
  return (query) => {
    const entries = Object.entries(query as Record<string, unknown>);
    return Object.fromEntries(entries.map(([name, value]) => [name, valueOf(name, value)]));
  };
}
