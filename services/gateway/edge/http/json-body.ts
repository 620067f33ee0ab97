/** Reads a JSON body: bytes up to the limit, then UTF-8 text, then the value. */
import { isAscii } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Problem, invalidRequest } from "./problem.ts";
import { paramOf } from "../validation/checker.ts";

/** Bodies up to this size may consist of anything: `test/contract/cost/requests.test.ts`. */
const SMALL_BYTES = 16 * 1024;
/** What can begin a part of a value. */
const STARTS: readonly number[] = [...Buffer.from(",[{")];
/** More than any request needs. Each costs as much as hundreds of bytes. */
export const MAX_STARTS = 8_000;

const EMPTY = "The body is empty. Send a JSON object.";

const tooLarge = () => new Problem("body_too_large");

/** Makes `request.body` the bytes of a JSON body or the problem with them, or undefined when the request has none. */
export function acceptJson(app: FastifyInstance, maxBytes: number): void {
  app.addContentTypeParser(
    "application/json",
    async ({ headers, routeOptions, held }: FastifyRequest, payload: Readable) => {
      if (!routeOptions.config.checks?.hasBody) {
        // Nothing waits for a body that nobody reads. Its bytes are dropped as they come.
        payload.resume();
        return undefined;
      }
      refuseEncoded(headers);
      // A parser that throws closes the connection.
      return readBody(payload, { maxBytes, tooLarge, held }).catch((refused: unknown) => refused);
    },
  );
}

/** Throws a problem. A body of more than `smallBytes` must not consist of many parts. */
export function parseBody(body: unknown, smallBytes = SMALL_BYTES): unknown {
  if (body === undefined) throw invalidJson(EMPTY);
  if (body instanceof Problem) throw body;
  const bytes = body as Buffer;
  if (bytes.length > smallBytes) refuseManyParts(bytes);
  const { text, value } = decode(bytes);
  const repeated = repeatedField(text);
  if (repeated === undefined) return value;
  const param = paramOf(repeated, value);
  const message = `${param} is in the body twice. Send it once.`;
  throw invalidRequest([{ code: "invalid_value", message, param }]);
}

/** Counts before anything is parsed. */
function refuseManyParts(bytes: Buffer): void {
  let left = MAX_STARTS;
  for (const start of STARTS) {
    for (let at = bytes.indexOf(start); at !== -1; at = bytes.indexOf(start, at + 1)) {
      left -= 1;
      if (left < 0) {
        const message = `The body has more than ${MAX_STARTS} commas and opening brackets. Send a smaller one.`;
        throw new Problem("body_too_large", { message });
      }
    }
  }
}

function decode(bytes: Buffer): { text: string; value: unknown } {
  if (bytes.length === 0) throw invalidJson(EMPTY);
  const text = textOf(bytes);
  try {
    return { text, value: JSON.parse(text) };
  } catch (error) {
    // It quotes what was sent, and may cut a character in two.
    throw invalidJson(`The body is not JSON: ${(error as SyntaxError).message.toWellFormed()}.`);
  }
}

/** A text, or what begins, ends or divides objects and lists. A text without an end reaches to the end. */
const PIECE = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|[{}[\],:]/g;

/** An object with the names that it had so far, or a list without; and the name or index that is being read. */
type Level = { names: Set<string> | undefined; at: string };

/** The path of the first repeated field; undefined if there is none. `json` has been parsed without a fault. */
function repeatedField(json: string): string[] | undefined {
  const levels: Level[] = [];
  let text = "";
  for (const piece of json.match(PIECE) ?? []) {
    const level = levels.at(-1);
    if (piece === "{") levels.push({ names: new Set(), at: "" });
    else if (piece === "[") levels.push({ names: undefined, at: "0" });
    else if (piece === "}" || piece === "]") levels.pop();
    else if (piece === "," && level && !level.names) level.at = String(Number(level.at) + 1);
    else if (piece === ":" && level?.names) {
      level.at = JSON.parse(text) as string;
      if (level.names.has(level.at)) return levels.map(({ at }) => at);
      level.names.add(level.at);
    } else text = piece;
  }
  return undefined;
}

function textOf(bytes: Buffer): string {
  // Several times as quick, and what pictures in base64 are.
  if (isAscii(bytes)) return bytes.toString("latin1");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalidJson("The body is not UTF-8. Send its text in UTF-8.");
  }
}

/** Throws unless the body is as it is. */
export function refuseEncoded(headers: IncomingHttpHeaders): void {
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding.toLowerCase() === "identity") return;
  const message = "Send the body as it is, without Content-Encoding.";
  throw new Problem("unsupported_media_type", { message, param: "Content-Encoding" });
}

function invalidJson(message: string): Problem {
  return new Problem("invalid_json", { message });
}

export type BodyLimit = { maxBytes: number; tooLarge: (maxBytes: number) => Problem };

/** No client is left to read this. It only keeps the error out of the log of internal errors. */
const INCOMPLETE = invalidJson("The request ended before its body did. Send it again.");

/** The rest of a body that is refused is read and dropped, so that the client can read the answer. */
export function readBody(
  stream: Readable,
  { maxBytes, tooLarge: refusal, held }: BodyLimit & { held: HeldBytes | undefined },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let isRefused = false;
    stream.on("data", (chunk: Buffer) => {
      if (isRefused) return;
      bytes += chunk.length;
      try {
        if (bytes > maxBytes) throw refusal(maxBytes);
        held?.add(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        isRefused = true;
        chunks.length = 0;
        reject(error as Error);
      }
    });
    stream.once("end", () => resolve(Buffer.concat(chunks)));
    stream.once("error", () => reject(INCOMPLETE));
    stream.once("close", () => stream.readableEnded || reject(INCOMPLETE));
  });
}

/** What all clients, and one account, have sent and is in memory: ten, and three, of the largest files. */
const MAX_BYTES = 200_000_000;
const MAX_ACCOUNT_BYTES = 60_000_000;
/** The first bytes of each body are not counted, so that what has no file is read whatever others send. */
const FREE_BYTES = 64 * 1024;

const TOO_MANY = new Problem("unavailable", {
  message: "Too many files are being sent at this moment. Send this one again.",
});

export type UploadMemory = ReturnType<typeof uploadMemory>;

/** The bytes of one request that are in memory. */
export type HeldBytes = ReturnType<UploadMemory["hold"]>;

/** Counts what clients have sent and is in memory, by account. */
export function uploadMemory() {
  const byAccount = new Map<string, number>();
  let total = 0;
  return {
    hold(accountId: string) {
      let read = 0;
      let counted = 0;
      const count = (more: number) => {
        const own = (byAccount.get(accountId) ?? 0) + more;
        if (more > 0 && (total + more > MAX_BYTES || own > MAX_ACCOUNT_BYTES)) throw TOO_MANY;
        total += more;
        counted += more;
        if (own === 0) byAccount.delete(accountId);
        else byAccount.set(accountId, own);
      };
      return {
        /** Counts bytes that were read. Throws when there is no memory left. */
        add(bytes: number) {
          read += bytes;
          count(Math.max(0, read - FREE_BYTES) - counted);
        },
        /** The bytes are stored elsewhere, or dropped. */
        release: () => count(-counted),
      };
    },
  };
}
