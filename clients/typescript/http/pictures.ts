/** Pictures of the caller's own, which are sent as files before the create that names them. */
import { InvalidRequestError } from "./error-classes.ts";
import { ArgumentError } from "./errors.ts";
import { readFile } from "./file-system.ts";
import { OFFERED_PICTURES, PICTURE_FIELDS } from "./known-models.ts";
import type { Picture, WithPictures } from "./types.ts";

/** Sends a picture and resolves with its URL. The key is the same for the same picture of the same create. */
type Send = (picture: Picture, idempotencyKey: string) => Promise<string>;

const URL_OR_PICTURE = "It takes a URL, a Blob, bytes, a stream, { path }, a file or an output.";

/** The body with the URL of the sent file in place of each picture. Throws ArgumentError for one in a wrong place, before any is sent. */
export async function withSentPictures<Body extends object>(
  body: WithPictures<Body>,
  kind: keyof typeof PICTURE_FIELDS,
  idempotencyKey: string,
  send: Send,
): Promise<Body> {
  const taken = PICTURE_FIELDS[kind];
  for (const [field, value] of Object.entries<unknown>(body)) {
    // JSON would make null of it, which is what a field has that is not given.
    if (typeof value === "number" && !Number.isFinite(value))
      throw new ArgumentError(`${field} is ${value}, a number that JSON does not have.`);
    const isList = taken[field] === "list";
    if (field in taken && Object(value) === value && Array.isArray(value) !== isList)
      throw new ArgumentError(`${field} must be ${isList ? "a list, even of one" : "no list"}.`);
    if (field in taken || field === "metadata" || ![value].flat().some(isPicture)) continue;
    const names = OFFERED_PICTURES[kind];
    const meant = names.find((name) => name.startsWith(field));
    const hint = meant ? `Did you mean ${meant}?` : `These do: ${names.join(", ")}.`;
    throw new ArgumentError(`${field} takes no picture. ${hint}`);
  }
  const sent = async (value: unknown, place: string): Promise<unknown> => {
    if (Array.isArray(value))
      return Promise.all(value.map((each, i) => sent(each, `${place}[${i}]`)));
    if (value instanceof URL) return value.href;
    if (typeof value !== "object" || value === null) return value;
    const { url } = value as { url?: unknown };
    if ("role" in value) return { ...value, url: await sent(url, place) };
    if (typeof url === "string" || url instanceof URL) return String(url);
    if (!isPicture(value)) throw new ArgumentError(`${place}: ${URL_OR_PICTURE}`);
    return send(value, await derivedKey(idempotencyKey, place)).catch((error: unknown) => {
      const isRefusal = error instanceof InvalidRequestError;
      if (isRefusal || error instanceof ArgumentError) error.message = `${place}: ${error.message}`;
      throw isRefusal ? Object.assign(error, { param: place }) : error;
    });
  };
  const fields = Object.entries(body).map(async ([field, value]) => [
    field,
    field in taken ? await sent(value, field) : (value as unknown),
  ]);
  return Object.fromEntries(await Promise.all(fields)) as Body;
}

/** The bytes of a picture. Throws ArgumentError for what is none, such as a text, and where there is no such file. */
export async function blobOf(picture: Picture): Promise<Blob> {
  if (!isPicture(picture))
    throw new ArgumentError("A picture is a Blob, bytes, a stream or { path }.");
  if (picture instanceof Blob) return picture;
  // A stream of Node's file system has a path too.
  if (Symbol.asyncIterator in picture) {
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    for await (const chunk of picture) chunks.push(chunk as Uint8Array<ArrayBuffer>);
    return new Blob(chunks);
  }
  return new Response("path" in picture ? await readFile(picture.path) : picture).blob();
}

/** A text is none: it is never read as a path. */
function isPicture(value: unknown): value is Picture {
  if (typeof value !== "object" || value === null) return false;
  // An ArrayBuffer is known by its name: test environments have several classes of it.
  if (Object.prototype.toString.call(value) === "[object ArrayBuffer]") return true;
  if (value instanceof Blob || ArrayBuffer.isView(value)) return true;
  if ("getReader" in value || Symbol.asyncIterator in value) return true;
  return "path" in value && typeof value.path === "string";
}

/** A key of fixed length, because the caller's may be as long as is allowed. */
async function derivedKey(idempotencyKey: string, place: string): Promise<string> {
  const text = new TextEncoder().encode(`${place} of ${idempotencyKey}`);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
