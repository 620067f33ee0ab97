/** Reads the bodies that have files, raw or as forms, into memory and within limits. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Readable } from "node:stream";
import multipart from "@fastify/multipart";
import { Problem, invalidRequest } from "./problem.ts";
import type { Fault } from "../validation/checker.ts";
import type { DocumentOperation } from "./document-operations.ts";
import { readForm } from "./form.ts";
import { addJsonParser, readBody, refuseEncoded } from "./json-body.ts";
import { callerOf } from "./request-state.ts";
import type { UploadMemory } from "./upload-memory.ts";

export const FORM = "multipart/form-data";
const JSON_TYPE = "application/json";
/** The headers and boundaries of a form. */
const FORM_EXTRA_BYTES = 64 * 1024;
/** Has the request's bytes counted as they are read, until they are released or the answer is sent. */
export function countBytes(memory: UploadMemory, request: FastifyRequest, { raw }: FastifyReply) {
  const held = memory.hold(callerOf(request).accountId);
  request.held = held;
  raw.once("close", () => held.release());
}

/** Makes the body of requests to the routes of `app` a file's bytes. Nothing is read of what will be refused. */
export function acceptUpload(
  app: FastifyInstance,
  { types, maxBytes }: NonNullable<DocumentOperation["upload"]>,
  memory: UploadMemory,
): void {
  app.removeAllContentTypeParsers();
  void app.register(multipart);
  app.addHook("preParsing", async (request, reply) => {
    const { restriction } = callerOf(request);
    if (restriction !== undefined) throw new Problem(restriction);
    const type = mediaType(request);
    // What the file is, its bytes say.
    if (!types.includes(type) && !type.startsWith("image/")) throw otherType(types);
    refuseEncoded(request.headers);
    const bytes = Number(request.headers["content-length"] ?? 0);
    if (bytes > maxBytes + (type === FORM ? FORM_EXTRA_BYTES : 0)) throw tooLarge(maxBytes);
    countBytes(memory, request, reply);
  });
  app.addContentTypeParser("*", async (request: FastifyRequest, payload: Readable) => {
    const file = await readBody(payload, maxBytes, request.held);
    if (file === undefined) throw tooLarge(maxBytes);
    return file;
  });
  app.addHook("preHandler", async (request) => {
    if (mediaType(request) === FORM) request.body = await fileInForm(request, maxBytes);
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
    refuseEncoded(request.headers);
    if (Number(request.headers["content-length"] ?? 0) > max) throw formTooLarge(max);
    countBytes(limits.memory, request, reply);
  });
  if (body) addJsonParser(app, most.get(JSON_TYPE) ?? 0);
}

function hasBody({ headers }: FastifyRequest): boolean {
  const length = headers["content-length"] ?? "0";
  return length !== "0" || headers["transfer-encoding"] !== undefined;
}

/** The file in the body of a request. */
export function uploadOf({ body }: FastifyRequest): Uint8Array {
  return body as Uint8Array;
}

/** The content type in lower case, without parameters. */
export function mediaType({ headers }: FastifyRequest): string {
  return (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** Of a form of one file; nothing more is read of one with more parts. */
const ONE_FILE = { maxParts: 8, remedy: "Send the part file only.", param: "file" };

async function fileInForm(request: FastifyRequest, maxBytes: number): Promise<Uint8Array> {
  const parts = await readForm(request, { ...ONE_FILE, maxBytes, tooLarge });
  const names = new Set(parts.map(({ name }) => name));
  names.delete("file");
  if (names.size > 0) throw invalidRequest([...names].map(unknownPart));
  const [file, ...more] = parts;
  if (!file) throw missing();
  if (typeof file.content === "string") throw notAFile();
  if (more.length > 0) {
    throw new Problem("invalid_value", { message: "Send one file at a time.", param: "file" });
  }
  return file.content;
}

function unknownPart(name: string): Fault {
  const param = name.slice(0, 200).toWellFormed();
  return {
    code: "unknown_field",
    message: `Unknown field: ${param}. Remove it, or name it file.`,
    param,
  };
}

function notAFile(): Problem {
  return new Problem("invalid_value", {
    message: "The part file was sent as text. Send it as a file, with a filename.",
    param: "file",
  });
}

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

/** "image/png or image/jpeg". */
const ONE_OF = new Intl.ListFormat("en-GB", { type: "disjunction" });

export function otherType(types: readonly string[]): Problem {
  return new Problem("unsupported_media_type", {
    message: `Send the body as ${ONE_OF.format(types)}.`,
    param: "Content-Type",
  });
}
