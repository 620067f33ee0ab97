/** Query parameters as the document types them: text, but for the integers that its schema names. */
import type { ObjectSchema } from "./faults.ts";

/** Longer ones are no numbers at all in JavaScript. */
const WHOLE_NUMBER = /^-?[0-9]{1,300}$/;

/** Makes the reader of one operation's query. What is not a whole number stays text, for the check to refuse. */
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
