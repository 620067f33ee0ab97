/** Reads forms of multipart/form-data: their parts, and as the fields that the document has. */
import type { FastifyRequest } from "fastify";
import type { Checker, Fault, ObjectSchema } from "../validation/checker.ts";
import { invalidRequest, Problem } from "./problem.ts";

/** A file is bytes. */
type FormPart = { name: string; content: string | Uint8Array };

/** Nothing more is read of a form with longer headers of a part, or more of them. */
const HEADERS = { headerSize: 8 * 1024, headerPairs: 32 };
/** More than the longest field has. */
const MAX_FIELD_BYTES = 128 * 1024;
/** A part's name can be as long as its headers; error responses must not be. */
const MAX_NAME_CHARACTERS = 200;
/** What undecodable bytes become. */
const NOT_UTF8 = "\uFFFD";

/** `remedy` says what to do about a form with more parts; `param` is the only field, if there is only one. */
type FormLimit = {
  maxBytes: number;
  tooLarge: (maxBytes: number) => Problem;
  maxParts: number;
  remedy: string;
  param?: string;
};

/** The parts in their order. Throws a problem where the body is not a form as its content type says, or beyond the limits. */
export async function readForm(request: FastifyRequest, limit: FormLimit): Promise<FormPart[]> {
  const { maxBytes, maxParts } = limit;
  const parts: FormPart[] = [];
  let read = 0;
  const count = (bytes: number) => {
    read += bytes;
    if (read > maxBytes) throw limit.tooLarge(maxBytes);
    request.held?.add(bytes);
  };
  // While the body arrives, its request is not in progress: the client may be slow.
  request.turn?.pause();
  try {
    const limits = { ...HEADERS, parts: maxParts, fieldSize: MAX_FIELD_BYTES, fileSize: Infinity };
    for await (const part of request.parts({ limits })) {
      const { fieldname: name } = part;
      if (name === undefined) throw malformed(limit);
      if (part.type === "file") {
        const chunks: Buffer[] = [];
        for await (const chunk of part.file as AsyncIterable<Buffer>) {
          count(chunk.length);
          chunks.push(chunk);
        }
        parts.push({ name, content: Buffer.concat(chunks) });
      } else {
        // A part that says that it is JSON has been parsed.
        const { value } = part;
        const content = typeof value === "string" ? value : JSON.stringify(value);
        if (part.valueTruncated) throw limit.tooLarge(MAX_FIELD_BYTES);
        count(content.length);
        parts.push({ name, content });
      }
    }
    return parts;
  } catch (error) {
    throw error instanceof Problem ? error : faultOf(error as Error & { code?: string }, limit);
  } finally {
    // What is left is dropped as it comes.
    request.raw.unpipe();
    request.raw.resume();
    request.turn?.resume();
  }
}

function faultOf({ code, message }: Error & { code?: string }, limit: FormLimit): Problem {
  if (code === "FST_PARTS_LIMIT") {
    const text = `The form has more than ${limit.maxParts} parts. ${limit.remedy}`;
    return new Problem("invalid_value", { message: text, ...paramOf(limit) });
  }
  if (!message.includes("Boundary not found")) return malformed(limit);
  const text = "The Content-Type of the form has no boundary. Let your client set that header.";
  return new Problem("invalid_value", { message: text, ...paramOf(limit) });
}

function malformed(limit: FormLimit): Problem {
  const message = "The body is not a form as its Content-Type says. Check what your client sends.";
  return new Problem("invalid_value", { message, ...paramOf(limit) });
}

function paramOf({ param }: FormLimit): { param?: string } {
  return param === undefined ? {} : { param };
}

type Value = string | Uint8Array;

/** The fields of a form: a list for a field that the document has as a list. */
type FormFields = Record<string, Value | Value[]>;

/** Throws a problem unless the parts are a form that the document allows. */
export type FormReader = (parts: readonly FormPart[]) => FormFields;

type Property = { type?: unknown; format?: unknown; items?: Property };

export function formReader({ properties = {} }: ObjectSchema, check: Checker): FormReader {
  const known = new Map(Object.entries(properties) as [string, Property][]);
  return (all) => {
    const faults: Fault[] = [];
    const fields: FormFields = {};
    for (const [name, parts] of Map.groupBy(all, (part) => fieldOf(part.name))) {
      const property = known.get(name) ?? {};
      const isList = property.type === "array";
      const { format } = isList ? (property.items ?? {}) : property;
      for (const part of parts) addFaults(name, part, format === "binary", faults);
      const values = parts.map(({ content }) => content);
      const [first] = values;
      if (values.length > 1 && !isList) faults.push(repeated(name));
      if (first !== undefined) setOwn(fields, name, isList ? values : first);
    }
    const outer = faults.filter(({ param }) => known.has(param ?? ""));
    if (outer.length > 0) throw invalidRequest(outer);
    const wrong = check(checkable(fields));
    if (wrong.length > 0) throw invalidRequest(wrong);
    return fields;
  };
}

/** Many clients add brackets to the name of a list. */
function fieldOf(name: string): string {
  return name.endsWith("[]") ? name.slice(0, -2) : name;
}

function addFaults(name: string, { content }: FormPart, isBinary: boolean, faults: Fault[]): void {
  const add = (code: Fault["code"], what: string) =>
    void faults.push({ code, message: `${name} ${what}`, param: name });
  if (typeof content === "string") {
    if (isBinary) add("invalid_type", "was sent as text. Send it as a file, with a filename.");
    if (content.includes(NOT_UTF8)) add("invalid_value", "must be UTF-8.");
  } else {
    if (!isBinary) add("invalid_type", "was sent as a file. Send it as text.");
    if (content.length === 0) add("too_short", "is an empty file. Send a picture.");
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
