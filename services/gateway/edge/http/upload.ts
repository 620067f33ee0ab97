/** Reads a file that a client sends, raw or as a part of a form, into memory and within limits. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Readable } from "node:stream";
import { Problem, invalidRequest } from "./problem.ts";
import type { Fault } from "../validation/faults.ts";
import type { DocumentOperation } from "./document-operations.ts";
import { formParts, RawForm } from "./form.ts";
import { readUpTo, refuseEncoded } from "./json-body.ts";
import { callerOf } from "./request-state.ts";

export const FORM = "multipart/form-data";
/** Of the form of one file; nothing more is read of one with more parts. */
const FORM_LIMIT = { maxParts: 8, remedy: "Send the part file only.", param: "file" };
/** The headers and boundaries of a form. */
const FORM_EXTRA_BYTES = 64 * 1024;
/** The files that a process reads at a time, and those of one account. */
const MAX_BYTES = 200_000_000;
const MAX_ACCOUNT_BYTES = 60_000_000;

/** Accounts for the files in memory, by account. */
export type UploadMemory = {
  /** False if there is no memory left; else the caller releases the bytes. */
  take: (accountId: string, bytes: number) => boolean;
  release: (accountId: string, bytes: number) => void;
};

export function uploadMemory(): UploadMemory {
  const byAccount = new Map<string, number>();
  let total = 0;
  const add = (accountId: string, bytes: number) => {
    total += bytes;
    const held = (byAccount.get(accountId) ?? 0) + bytes;
    if (held === 0) byAccount.delete(accountId);
    else byAccount.set(accountId, held);
  };
  return {
    take: (accountId, bytes) => {
      const held = byAccount.get(accountId) ?? 0;
      if (total + bytes > MAX_BYTES || held + bytes > MAX_ACCOUNT_BYTES) return false;
      add(accountId, bytes);
      return true;
    },
    release: (accountId, bytes) => add(accountId, -bytes),
  };
}

/** Counts the bytes until the answer is sent. Throws when there is no memory left. */
export function takeUntilAnswered(
  memory: UploadMemory,
  accountId: string,
  bytes: number,
  { raw }: FastifyReply,
): void {
  if (!memory.take(accountId, bytes)) throw tooMany();
  raw.once("close", () => memory.release(accountId, bytes));
}

/** Makes the body of requests to the routes of `app` a file's bytes. Nothing is read of what will be refused. */
export function acceptUpload(
  app: FastifyInstance,
  { types, maxBytes }: NonNullable<DocumentOperation["upload"]>,
  memory: UploadMemory,
): void {
  const mostOf = (request: FastifyRequest) =>
    mediaType(request) === FORM ? maxBytes + FORM_EXTRA_BYTES : maxBytes;
  /** What is counted, and what the body is read into. */
  const bytesOf = (request: FastifyRequest) =>
    Number(request.headers["content-length"] ?? mostOf(request));
  app.removeAllContentTypeParsers();
  app.addHook("preParsing", async (request, reply) => {
    const { restriction, accountId } = callerOf(request);
    if (restriction !== undefined) throw new Problem(restriction);
    if (!types.includes(mediaType(request))) throw otherType(types);
    refuseEncoded(request.headers);
    const bytes = bytesOf(request);
    if (bytes > mostOf(request)) throw tooLarge(maxBytes);
    takeUntilAnswered(memory, accountId, bytes, reply);
  });
  app.addContentTypeParser("*", async (request: FastifyRequest, payload: Readable) => {
    const buffer = Buffer.allocUnsafe(bytesOf(request));
    const bytes = await readUpTo(payload, buffer.length, (chunk, at) => chunk.copy(buffer, at));
    if (bytes === undefined) throw tooLarge(maxBytes);
    const body = buffer.subarray(0, bytes);
    const file = mediaType(request) === FORM ? fileInForm(request, body) : body;
    if (file.byteLength > maxBytes) throw tooLarge(maxBytes);
    if (file.byteLength === 0) throw missing();
    return file;
  });
  app.addHook("preHandler", async ({ body }) => {
    if (body === undefined) throw missing();
  });
}

/** The file in the body of a request. */
export function uploadOf({ body }: FastifyRequest): Uint8Array {
  return body as Uint8Array;
}

/** The content type in lower case, without parameters. */
export function mediaType({ headers }: FastifyRequest): string {
  return (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

function fileInForm({ headers }: FastifyRequest, bytes: Buffer): Uint8Array {
  const parts = formParts(new RawForm(headers["content-type"] ?? "", bytes), FORM_LIMIT);
  const names = new Set(parts.map(({ name }) => name));
  names.delete("file");
  if (names.size > 0) throw invalidRequest([...names].map(unknownPart));
  const [file, ...more] = parts;
  if (!file) throw missing();
  if (!file.isFile) throw notAFile();
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

function tooMany(): Problem {
  return new Problem("unavailable", {
    message: "Too many files are being sent at this moment. Send this one again.",
  });
}

/** "image/png or image/jpeg". */
const ONE_OF = new Intl.ListFormat("en-GB", { type: "disjunction" });

export function otherType(types: readonly string[]): Problem {
  return new Problem("unsupported_media_type", {
    message: `Send the body as ${ONE_OF.format(types)}.`,
    param: "Content-Type",
  });
}
