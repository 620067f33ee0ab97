/** Reads a file that a client sends, raw or as a part of a form, into memory and within limits. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Readable } from "node:stream";
import { Problem, invalidRequest } from "../problem.ts";
import type { Fault } from "../validation/faults.ts";
import type { DocumentOperation } from "./document-operations.ts";
import { readUpTo, refuseEncoded } from "./json-body.ts";
import { callerOf } from "./request-state.ts";

const FORM = "multipart/form-data";
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

/** Makes the body of requests to the routes of `app` a file's bytes. Nothing is read of what will be refused. */
export function acceptUpload(
  app: FastifyInstance,
  { types, maxBytes }: NonNullable<DocumentOperation["upload"]>,
  memory: UploadMemory,
): void {
  const mostOf = (request: FastifyRequest) =>
    mediaType(request) === FORM ? maxBytes + FORM_EXTRA_BYTES : maxBytes;
  app.removeAllContentTypeParsers();
  app.addHook("preParsing", async (request, reply) => {
    const { restriction, accountId } = callerOf(request);
    if (restriction !== undefined) throw new Problem(restriction);
    if (!types.includes(mediaType(request))) throw otherType(types);
    refuseEncoded(request.headers);
    const bytes = Number(request.headers["content-length"] ?? mostOf(request));
    if (bytes > mostOf(request)) throw tooLarge(maxBytes);
    if (!memory.take(accountId, bytes)) throw tooMany();
    reply.raw.once("close", () => memory.release(accountId, bytes));
  });
  app.addContentTypeParser("*", async (request: FastifyRequest, payload: Readable) => {
    const bytes = await readUpTo(payload, mostOf(request));
    const isForm = mediaType(request) === FORM;
    const file = bytes && isForm ? await fileInForm(request, bytes) : bytes;
    if (file === undefined || file.byteLength > maxBytes) throw tooLarge(maxBytes);
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

/** In lower case, without parameters. */
function mediaType({ headers }: FastifyRequest): string {
  return (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

async function fileInForm({ headers }: FastifyRequest, bytes: Buffer): Promise<Uint8Array> {
  const form = await parseForm(headers["content-type"] ?? "", bytes);
  const faults = [...new Set(form.keys())].filter((name) => name !== "file").map(unknownPart);
  const [file, ...more] = form.getAll("file");
  if (faults.length > 0) throw invalidRequest(faults);
  if (typeof file === "string") throw notAFile();
  if (!file) throw missing();
  if (more.length > 0) {
    throw new Problem("invalid_value", { message: "Send one file at a time.", param: "file" });
  }
  return new Uint8Array(await file.arrayBuffer());
}

async function parseForm(contentType: string, bytes: Buffer): Promise<FormData> {
  try {
    const headers = { "content-type": contentType };
    return await new Response(new Uint8Array(bytes), { headers }).formData();
  } catch {
    throw new Problem("invalid_value", {
      message: "The body is not a form as its Content-Type says. Check what your client sends.",
      param: "file",
    });
  }
}

function unknownPart(name: string): Fault {
  const param = name.slice(0, 200);
  return {
    code: "unknown_field",
    message: `Unknown field: ${param}. Remove it, or name it file.`,
    param,
  };
}

/** A part is a file where its Content-Disposition has a filename. */
function notAFile(): Problem {
  return new Problem("invalid_value", {
    message: "The part file was sent as text. Send it as a file, with a filename.",
    param: "file",
  });
}

function missing(): Problem {
  return invalidRequest([
    { code: "missing_field", message: "file is required. Add it.", param: "file" },
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

function otherType(types: readonly string[]): Problem {
  return new Problem("unsupported_media_type", {
    message: `Send the file as ${types.join(", ")}.`,
    param: "Content-Type",
  });
}
