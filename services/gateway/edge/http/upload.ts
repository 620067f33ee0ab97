/** Reads the bodies that have files, raw or as forms, into memory and within limits. */
import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import multipart from "@fastify/multipart";
import { ONE_OF } from "../../domain/requests.ts";
import { present } from "#vocabulary/public-generation.ts";
import { Problem, invalidRequest } from "./problem.ts";
import type { Fault, Checker, ObjectSchema } from "../validation/checker.ts";
import type { DocumentOperation } from "./contract.ts";
import { addJsonParser, readBody, refuseEncoded, type UploadMemory } from "./json-body.ts";
import { callerOf } from "./request-state.ts";

export const FORM = "multipart/form-data";
const JSON_TYPE = "application/json";
/** The headers and boundaries of a form. */
const FORM_EXTRA_BYTES = 64 * 1024;

/**
 * Refuses a body that is encoded, or says that it is too large. Has the bytes of others counted as they are read, until
 * they are released or the answer is sent.
 */
export function admitBody(
  memory: UploadMemory,
  request: FastifyRequest,
  { raw }: FastifyReply,
  { maxBytes, tooLarge }: Pick<FormLimit, "maxBytes" | "tooLarge">,
): void {
  refuseEncoded(request.headers);
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const held = memory.hold(callerOf(request).accountId);
  request.held = held;
  raw.once("close", () => held.release());
}

/** Makes the body of requests to the routes of `app` a file's bytes. Nothing is read of what will be refused. */
export function acceptUpload(
  app: FastifyInstance,
  { types, maxBytes }: Pick<NonNullable<DocumentOperation["upload"]>, "types" | "maxBytes">,
  { read, memory }: { read: FormReader; memory: UploadMemory },
): void {
  app.removeAllContentTypeParsers();
  void app.register(multipart);
  app.addHook("preParsing", async (request, reply) => {
    const { restriction } = callerOf(request);
    if (restriction !== undefined) throw new Problem(restriction);
    const type = mediaType(request);
    // What the file is, its bytes say.
    if (!types.includes(type) && !type.startsWith("image/")) throw otherType(types);
    const most = maxBytes + (type === FORM ? FORM_EXTRA_BYTES : 0);
    admitBody(memory, request, reply, { maxBytes: most, tooLarge: () => tooLarge(maxBytes) });
  });
  app.addContentTypeParser("*", async (request: FastifyRequest, payload: Readable) => {
    const file = await readBody(payload, maxBytes, request.held);
    if (file === undefined) throw tooLarge(maxBytes);
    return file;
  });
  app.addHook("preValidation", async (request) => {
    if (mediaType(request) === FORM) {
      request.body = read(await readForm(request, { ...ONE_FILE, maxBytes, tooLarge }))["file"];
      await request.admitAgain?.();
    }
    const file = request.body as Uint8Array | undefined;
    if (file === undefined || file.byteLength === 0) throw missing();
  });
}

type FormOperation = Pick<DocumentOperation, "body" | "form" | "maxJsonBytes">;

/** Makes the body of requests to the routes of `app` a form, or a raw JSON body. Nothing is read of what will be refused. */
export function acceptForm(
  app: FastifyInstance,
  { body, form, maxJsonBytes }: FormOperation,
  limits: { maxJsonBytes: number; memory: UploadMemory },
): void {
  const most = new Map([[FORM, form?.maxBytes ?? 0]]);
  if (body) most.set(JSON_TYPE, maxJsonBytes ?? limits.maxJsonBytes);
  app.removeAllContentTypeParsers();
  void app.register(multipart);
  app.addHook("preParsing", async (request, reply) => {
    if (!hasBody(request)) return;
    const max = most.get(mediaType(request));
    if (max === undefined) throw otherType([...most.keys()]);
    admitBody(limits.memory, request, reply, { maxBytes: max, tooLarge: formTooLarge });
  });
  if (body) addJsonParser(app, most.get(JSON_TYPE) ?? 0);
}

function hasBody({ headers }: FastifyRequest): boolean {
  const length = headers["content-length"] ?? "0";
  return length !== "0" || headers["transfer-encoding"] !== undefined;
}

export function uploadOf({ body }: FastifyRequest): Uint8Array {
  return body as Uint8Array;
}

/** The content type in lower case, without parameters. */
export function mediaType({ headers }: FastifyRequest): string {
  return (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** Of a form of one file; nothing more is read of one with more parts. */
const ONE_FILE = { maxParts: 8, remedy: "Send the part file only.", param: "file" };

function missing(): Problem {
  return invalidRequest([
    {
      code: "missing_field",
      message: "There is no file. Send it as the body, or as the part file of a form.",
      param: "file",
    },
  ]);
}

function tooLarge(maxBytes: number): Problem {
  const message = `The file is larger than ${maxBytes} bytes. Send a smaller one.`;
  return new Problem("body_too_large", { message });
}

export function formTooLarge(maxBytes: number): Problem {
  const message = `The body is larger than ${maxBytes} bytes. Send smaller pictures, or give their URLs.`;
  return new Problem("body_too_large", { message });
}

function otherType(types: readonly string[]): Problem {
  return new Problem("unsupported_media_type", {
    message: `Send the body as ${ONE_OF.format(types)}.`,
    param: "Content-Type",
  });
}

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
    return new Problem("invalid_value", { message: text, ...present("param", limit.param) });
  }
  if (!message.includes("Boundary not found")) return malformed(limit);
  const text = "The Content-Type of the form has no boundary. Let your client set that header.";
  return new Problem("invalid_value", { message: text, ...present("param", limit.param) });
}

function malformed(limit: FormLimit): Problem {
  const message = "The body is not a form as its Content-Type says. Check what your client sends.";
  return new Problem("invalid_value", { message, ...present("param", limit.param) });
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
    const texts = checkable(fields);
    const wrong = check(texts);
    if (wrong.length > 0) throw invalidRequest(wrong);
    // Values have the document's case now.
    for (const [name, text] of Object.entries(texts)) {
      if (typeof fields[name] === "string") fields[name] = text;
    }
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
function checkable(fields: FormFields): Record<string, string | string[]> {
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
  Object.defineProperty(fields, shown, { value, enumerable: true, writable: true });
}

function repeated(name: string): Fault {
  const message = `${name} is in the form twice. Send it once.`;
  return { code: "invalid_value", message, param: name };
}
