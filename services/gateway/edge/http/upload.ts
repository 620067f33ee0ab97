/** Reads the bodies that have files, raw or as forms, into memory and within limits. */
import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import multipart from "@fastify/multipart";
import { ONE_OF } from "../../domain/requests.ts";
import { present } from "#vocabulary/public-generation.ts";
import { Problem, invalidRequest } from "./problem.ts";
import type { Fault, Checker, ObjectSchema } from "../validation/checker.ts";
import { FORM_TYPE, JSON_TYPE, type DocumentOperation } from "./contract.ts";
import {
  acceptJson,
  readBody,
  refuseEncoded,
  type BodyLimit,
  type UploadMemory,
} from "./json-body.ts";
import { callerOf } from "./request-state.ts";

/** The headers and boundaries of a form. */
const FORM_EXTRA_BYTES = 64 * 1024;

/** Refuses an encoded body, or one said to be too large. Counts others as they are read, until released or answered. */
export function admitBody(
  memory: UploadMemory,
  request: FastifyRequest,
  { raw }: FastifyReply,
  { maxBytes, tooLarge }: BodyLimit,
): void {
  refuseEncoded(request.headers);
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const held = memory.hold(callerOf(request).accountId);
  request.held = held;
  raw.once("close", () => held.release());
}

type Form = NonNullable<DocumentOperation["form"]>;

/** Makes the body of requests to routes of `app` what is read of it later. Nothing is read of what will be refused. */
export function acceptForm(
  app: FastifyInstance,
  form: Form,
  { maxJsonBytes, memory }: { maxJsonBytes: number | undefined; memory: UploadMemory },
): void {
  const isFile = form.types.length > 0;
  const { maxBytes, tooLarge } = limitOf(form);
  const most = new Map([[FORM_TYPE, maxBytes + (isFile ? FORM_EXTRA_BYTES : 0)]]);
  for (const type of form.types) most.set(type, maxBytes);
  if (maxJsonBytes !== undefined) most.set(JSON_TYPE, maxJsonBytes);
  app.removeAllContentTypeParsers();
  void app.register(multipart);
  app.addHook("preParsing", async (request, reply) => {
    const { restriction } = callerOf(request);
    if (isFile && restriction !== undefined) throw new Problem(restriction);
    const { "content-length": length = "0", "transfer-encoding": encoding } = request.headers;
    if (!isFile && length === "0" && encoding === undefined) return;
    const type = mediaType(request);
    // What the file is, its bytes say.
    const max = most.get(type) ?? (isFile && type.startsWith("image/") ? maxBytes : undefined);
    if (max === undefined) {
      const message = `Send the body as ${ONE_OF.format(most.keys())}.`;
      throw new Problem("unsupported_media_type", { message, param: "Content-Type" });
    }
    admitBody(memory, request, reply, { maxBytes: max, tooLarge });
  });
  if (maxJsonBytes !== undefined) acceptJson(app, maxJsonBytes);
  if (isFile) acceptBytes(app, { maxBytes, tooLarge });
}

export function acceptBytes(app: FastifyInstance, limit: BodyLimit): void {
  app.addContentTypeParser("*", ({ held }: FastifyRequest, payload: Readable) =>
    readBody(payload, { ...limit, held }),
  );
}

/** Reads the fields of a form, or the bytes of a file. Throws a problem unless they are what the document allows. */
export function formReader(form: Form, check: Checker) {
  const limit = limitOf(form);
  const read = fieldReader(form.schema, check);
  return async (request: FastifyRequest): Promise<FormFields | Uint8Array> => {
    const isForm = mediaType(request) === FORM_TYPE;
    if (form.types.length === 0) return read(isForm ? await readForm(request, limit) : []);
    const file = isForm ? read(await readForm(request, limit))["file"] : request.body;
    if (file instanceof Uint8Array && file.byteLength > 0) return file;
    const message = "The file is missing or empty. Send it as the body, or as part file of a form.";
    throw invalidRequest([{ code: "missing_field", message, param: "file" }]);
  };
}

export function mediaType({ headers }: FastifyRequest): string {
  return (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** Nothing more is read of a form with more parts. */
function limitOf({ types, maxBytes }: Form): FormLimit {
  const refuse = (message: string, param?: string) =>
    new Problem("body_too_large", { message, ...present("param", param) });
  if (types.length === 0) {
    const tooLarge = (bytes: number) =>
      refuse(`The body is larger than ${bytes} bytes. Send smaller pictures, or give their URLs.`);
    return { maxBytes, tooLarge, maxParts: 64, remedy: "Send less." };
  }
  const size = `${maxBytes / 1e6} MB`;
  const tooLarge = () => refuse(`The file is over ${size}. Send a smaller one.`, "file");
  return { maxBytes, tooLarge, maxParts: 8, remedy: "Send the part file only.", param: "file" };
}

/** A file is bytes. */
type FormPart = { name: string; content: string | Uint8Array };

/** What is read of a part's headers. */
const HEADERS = { headerSize: 8 * 1024, headerPairs: 32 };
/** As much as a JSON body has: a picture may be a data URL. */
const MAX_FIELD_BYTES = 4 * 1024 * 1024;
/** A part's name can be as long as its headers; error responses must not be. */
const MAX_NAME_CHARACTERS = 200;
/** What undecodable bytes become. */
const NOT_UTF8 = "\uFFFD";

const isJson = (type = "") => type.startsWith(JSON_TYPE);

/** As the library says, and JSON: what it takes for a field of JSON it parses, however long that takes. */
const isPartAFile = (_field?: string, type?: string, name?: string) =>
  name !== undefined || isJson(type) || type === "application/octet-stream";

/** `remedy` says what to do about a form with more parts; `param` is the only field, if there is only one. */
type FormLimit = BodyLimit & { maxParts: number; remedy: string; param?: string };

/** The parts in their order. Throws a problem where the body is no form as its type says, or beyond the limits. */
async function readForm(request: FastifyRequest, limit: FormLimit): Promise<FormPart[]> {
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
    for await (const part of request.parts({ limits, isPartAFile })) {
      const { fieldname: name } = part;
      if (name === undefined) throw invalidForm(MALFORMED, limit);
      if (part.type === "file") {
        const chunks: Buffer[] = [];
        for await (const chunk of part.file as AsyncIterable<Buffer>) {
          count(chunk.length);
          chunks.push(chunk);
        }
        const content = Buffer.concat(chunks);
        const isText = part.filename === undefined && isJson(part.mimetype);
        if (isText && content.length > MAX_FIELD_BYTES) throw limit.tooLarge(MAX_FIELD_BYTES);
        parts.push({ name, content: isText ? unquoted(content.toString()) : content });
      } else {
        const content = part.value as string;
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

/** A JSON string as the text that it stands for; anything else as it was sent. */
function unquoted(json: string): string {
  try {
    return json.startsWith('"') ? (JSON.parse(json) as string) : json;
  } catch {
    return json;
  }
}

const MALFORMED = "The body is not a form as its Content-Type says. Check what your client sends.";
const NO_BOUNDARY =
  "The Content-Type of the form has no boundary. Let your client set that header.";

function faultOf({ code, message }: Error & { code?: string }, limit: FormLimit): Problem {
  if (code === "FST_PARTS_LIMIT") {
    return invalidForm(`The form has more than ${limit.maxParts} parts. ${limit.remedy}`, limit);
  }
  return invalidForm(message.includes("Boundary not found") ? NO_BOUNDARY : MALFORMED, limit);
}

function invalidForm(message: string, { param }: FormLimit): Problem {
  return new Problem("invalid_value", { message, ...present("param", param) });
}

type Value = string | Uint8Array;

/** The fields of a form: a list for a field that the document has as a list. */
type FormFields = Record<string, Value | Value[]>;

type Property = { type?: unknown; format?: unknown; items?: Property };

/** Throws a problem unless the parts are a form that the document allows. */
function fieldReader({ properties = {} }: ObjectSchema, check: Checker) {
  const known = new Map(Object.entries(properties) as [string, Property][]);
  return (all: readonly FormPart[]): FormFields => {
    const faults: Fault[] = [];
    const fields = [...Map.groupBy(all, fieldOf)].map(([name, parts]) => {
      const property = known.get(name) ?? {};
      const isList = property.type === "array";
      const { format } = isList ? (property.items ?? {}) : property;
      for (const part of parts) addFaults(name, part, format === "binary", faults);
      const values = parts.map(({ content }) => content);
      if (values.length > 1 && !isList) {
        const message = `${name} is in the form twice. Send it once.`;
        faults.push({ code: "invalid_value", message, param: name });
      }
      return [name, isList ? values : (values[0] ?? "")] as const;
    });
    const outer = faults.filter(({ param }) => known.has(param ?? ""));
    if (outer.length > 0) throw invalidRequest(outer);
    // The document's schema has a file as a text, of which it says nothing.
    const textOf = (value: Value) => (typeof value === "string" ? value : "");
    const textsOf = (value: Value | Value[]) =>
      Array.isArray(value) ? value.map(textOf) : textOf(value);
    const texts = Object.fromEntries(fields.map(([name, value]) => [name, textsOf(value)]));
    const wrong = check(texts);
    if (wrong.length > 0) throw invalidRequest(wrong);
    // Texts have the document's case now.
    const files = fields.filter(([, value]) => typeof value !== "string");
    return { ...texts, ...Object.fromEntries(files) };
  };
}

/** Many clients add brackets to the name of a list. */
function fieldOf({ name }: FormPart): string {
  return (name.endsWith("[]") ? name.slice(0, -2) : name).slice(0, MAX_NAME_CHARACTERS);
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
