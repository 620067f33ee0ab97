/** Reads the body of an operation that takes a form with files, and perhaps JSON in its place, within limits. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Readable } from "node:stream";
import type { DocumentOperation } from "./document-operations.ts";
import { RawForm } from "./form.ts";
import { addJsonParser, readUpTo, refuseEncoded } from "./json-body.ts";
import { Problem } from "./problem.ts";
import { callerOf } from "./request-state.ts";
import { FORM, mediaType, otherType, takeUntilAnswered, type UploadMemory } from "./upload.ts";

const JSON_TYPE = "application/json";

type FormOperation = Pick<DocumentOperation, "body" | "form" | "maxJsonBytes">;

/** Makes the body of requests to the routes of `app` a raw form or a raw JSON body. Nothing is read of what will be refused. */
export function acceptForm(
  app: FastifyInstance,
  { body, form, maxJsonBytes }: FormOperation,
  limits: { maxJsonBytes: number; memory: UploadMemory },
): void {
  const most = new Map([[FORM, form?.maxBytes ?? 0]]);
  if (body) most.set(JSON_TYPE, maxJsonBytes ?? limits.maxJsonBytes);
  app.removeAllContentTypeParsers();
  app.addHook("preParsing", async (request, reply) => {
    if (!hasBody(request)) return;
    const max = most.get(mediaType(request));
    if (max === undefined) throw otherType([...most.keys()]);
    refuseEncoded(request.headers);
    const bytes = Number(request.headers["content-length"] ?? max);
    if (bytes > max) throw tooLarge(max);
    takeUntilAnswered(limits.memory, callerOf(request).accountId, bytes, reply);
  });
  if (body) addJsonParser(app, most.get(JSON_TYPE) ?? 0);
  app.addContentTypeParser(FORM, async (request: FastifyRequest, payload: Readable) => {
    const max = Number(request.headers["content-length"] ?? most.get(FORM));
    const buffer = Buffer.allocUnsafe(max);
    const bytes = await readUpTo(payload, max, (chunk, at) => chunk.copy(buffer, at));
    if (bytes === undefined) throw tooLarge(max);
    return new RawForm(request.headers["content-type"] ?? "", buffer.subarray(0, bytes));
  });
}

function hasBody({ headers }: FastifyRequest): boolean {
  const length = headers["content-length"] ?? "0";
  return length !== "0" || headers["transfer-encoding"] !== undefined;
}

function tooLarge(maxBytes: number): Problem {
  const message = `The body is larger than ${maxBytes} bytes. Send smaller pictures, or give their URLs.`;
  return new Problem("body_too_large", { message });
}
