/** Pictures of the caller's own, which are sent as files before the create that names them. */
import { ArgumentError } from "./errors.ts";
import { readFile } from "./file-system.ts";

/** A file's name is an object, never a plain text: a text that a stranger wrote must not name a file of this machine. */
export type Picture =
  | Blob
  | Uint8Array
  | ArrayBuffer
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  | { path: string };

/** What has the URL of a picture: a file that was sent, or an output. */
type WithUrl = { readonly url: string };

/** The body with pictures allowed wherever it takes the URL of an image. */
export type WithPictures<Body> = {
  [Field in keyof Body]: Field extends `${string}image_url` | "mask_url"
    ? Body[Field] | URL | Picture | WithUrl
    : Field extends `${string}image_urls`
      ? (string | URL | Picture | WithUrl)[] | Extract<Body[Field], null | undefined>
      : Field extends "reference_images"
        ? WithPicture<Body[Field]>
        : Body[Field];
};

type WithPicture<Entries> = Entries extends (infer Entry extends object)[]
  ? (Omit<Entry, "url"> & { url: string | URL | Picture | WithUrl })[]
  : Entries;

/** Sends a picture and resolves with its URL. The key is the same for the same picture of the same create. */
type Send = (picture: Picture, idempotencyKey: string) => Promise<string>;

const PICTURE = "A picture is a Blob, bytes, a stream or { path }.";
const URL_OR_PICTURE = "It takes a URL, a Blob, bytes, a stream, { path }, a file or an output.";

const IMAGE_FIELD = /^(.*image_urls?|mask_url)$/;

/** The body with the URL of the sent file in place of each picture. */
export async function withSentPictures<Body extends object>(
  body: WithPictures<Body>,
  idempotencyKey: string,
  send: Send,
): Promise<Body> {
  const sent = async (value: unknown, place: string): Promise<unknown> => {
    if (Array.isArray(value))
      return Promise.all(value.map((each, i) => sent(each, `${place}[${i}]`)));
    if (value instanceof URL) return value.href;
    if (typeof value !== "object" || value === null) return value;
    if ("url" in value && typeof value.url === "string") return value.url;
    if (!isPicture(value)) throw new ArgumentError(`${place}: ${URL_OR_PICTURE}`);
    return send(value, await derivedKey(idempotencyKey, place));
  };
  const sentField = async (field: string, value: unknown): Promise<unknown> => {
    if (IMAGE_FIELD.test(field)) return sent(value, field);
    if (field !== "reference_images" || !Array.isArray(value)) return value;
    const entries = value as { url: unknown }[];
    return Promise.all(
      entries.map(async (each, i) => ({ ...each, url: await sent(each.url, `${field}[${i}]`) })),
    );
  };
  const fields = Object.entries(body).map(async ([field, value]) => [
    field,
    await sentField(field, value),
  ]);
  return Object.fromEntries(await Promise.all(fields)) as Body;
}

/** The bytes of a picture. Throws ArgumentError for what is none, and the runtime's error where a file cannot be read. */
export async function blobOf(picture: Picture): Promise<Blob> {
  if (!isPicture(picture)) throw new ArgumentError(PICTURE);
  if (picture instanceof Blob) return picture;
  // A Blob copies bytes of any buffer.
  if (picture instanceof Uint8Array || isBuffer(picture))
    return new Blob([picture as Uint8Array<ArrayBuffer> | ArrayBuffer]);
  if ("getReader" in picture) return new Response(picture).blob();
  if (!isIterable(picture)) return new Blob([await readFile(picture.path)]);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of picture) chunks.push(chunk as Uint8Array<ArrayBuffer>);
  return new Blob(chunks);
}

function isPicture(value: unknown): value is Picture {
  if (typeof value !== "object" || value === null) return false;
  if (value instanceof Blob || value instanceof Uint8Array || isBuffer(value)) return true;
  if ("getReader" in value) return true;
  return isIterable(value) || ("path" in value && typeof value.path === "string");
}

/** By its name: test environments have several classes of that name. */
function isBuffer(value: object): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === "[object ArrayBuffer]";
}

/** A stream of Node's file system has a path too. */
function isIterable(value: object): value is AsyncIterable<Uint8Array> {
  return Symbol.asyncIterator in value;
}

/** A key of fixed length, because the caller's may be as long as is allowed. */
async function derivedKey(idempotencyKey: string, place: string): Promise<string> {
  const text = new TextEncoder().encode(`${place} of ${idempotencyKey}`);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
