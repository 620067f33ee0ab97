/** Makes the parts of a form its fields: texts and files, under the names that the document has. */
import type { Checker } from "../validation/checker.ts";
import type { Fault, ObjectSchema } from "../validation/faults.ts";
import { formParts, type FormPart, type RawForm } from "./form.ts";
import { invalidRequest } from "./problem.ts";

/** Nothing more is read of a form with more parts. */
const LIMIT = { maxParts: 64, remedy: "Send less." };
/** A part's name can be as long as its headers; error responses must not be. */
const MAX_NAME_CHARACTERS = 200;

type Value = string | Uint8Array;

/** The fields of a form: a list for a field that the document has as a list. */
export type FormFields = Record<string, Value | Value[]>;

/** Throws a problem unless the form is one that the document allows. */
export type FormReader = (form: RawForm | undefined) => FormFields;

type Property = { type?: unknown; format?: unknown; items?: Property };

export function formReader({ properties = {} }: ObjectSchema, check: Checker): FormReader {
  const known = new Map(Object.entries(properties) as [string, Property][]);
  return (form) => {
    const parts = Map.groupBy(form ? formParts(form, LIMIT) : [], ({ name }) => fieldOf(name));
    const faults: Fault[] = [];
    const fields: FormFields = {};
    for (const [name, all] of parts) {
      const property = known.get(name) ?? {};
      const isList = property.type === "array";
      const { format } = isList ? (property.items ?? {}) : property;
      const values = all.map((part) => valueOf(part, format === "binary", faults));
      const [first] = values;
      if (values.length > 1 && !isList) faults.push(repeated(name));
      if (first !== undefined) setOwn(fields, name, isList ? values : first);
    }
    const outer = faults.filter(({ param }) => known.has(param ?? ""));
    if (outer.length > 0) throw invalidRequest(outer);
    const wrong = check(checkable(fields), form?.bytes.length);
    if (wrong.length > 0) throw invalidRequest(wrong);
    return fields;
  };
}

/** Many clients add brackets to the name of a list. */
function fieldOf(name: string): string {
  return name.endsWith("[]") ? name.slice(0, -2) : name;
}

/** The part's text or file; adds to `faults` where it is the other one, or unusable. */
function valueOf(part: FormPart, isBinary: boolean, faults: Fault[]): Value {
  const { isFile, content } = part;
  const name = fieldOf(part.name);
  const add = (code: Fault["code"], what: string) =>
    void faults.push({ code, message: `${name} ${what}`, param: name });
  if (isFile && !isBinary) add("invalid_type", "was sent as a file. Send it as text.");
  if (!isFile && isBinary) {
    add("invalid_type", "was sent as text. Send it as a file, with a filename.");
  }
  if (isFile && content.length === 0) add("too_short", "is an empty file. Send a picture.");
  if (isFile) return content;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    add("invalid_value", "must be UTF-8.");
    return "";
  }
}

/** What the checker sees: the document's schema has a file as a text, of which it says nothing. */
function checkable(fields: FormFields): object {
  const textOf = (value: Value) => (typeof value === "string" ? value : "");
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(textOf) : textOf(value),
  ]);
  return Object.fromEntries(entries);
}

/** Also a field of the name __proto__. */
function setOwn(fields: FormFields, name: string, value: Value | Value[]): void {
  const shown = name.slice(0, MAX_NAME_CHARACTERS);
  Object.defineProperty(fields, shown, { value, enumerable: true, configurable: true });
}

function repeated(name: string): Fault {
  const message = `${name} is in the form twice. Send it once.`;
  return { code: "invalid_value", message, param: name };
}
