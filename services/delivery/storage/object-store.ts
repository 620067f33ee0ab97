/** What delivery asks of object storage, and the rules of keys that every adapter enforces alike. */
import type { Readable } from "node:stream";

export type ObjectMeta = {
  contentType: string;
  /** The length, where it is known beforehand: a body of another length is refused and not stored. */
  bytes?: number;
};

/** First and last byte, both inclusive. */
export type ByteRange = { start: number; end: number };

export type ObjectHead = { bytes: number; contentType: string };

/** `bytes` is the length of the whole object; `stream` carries the range that was asked for. */
export type ObjectBody = ObjectHead & { stream: Readable };

export type ListedObject = { key: string; storedAt: Date };

/** Objects are written whole and never changed: what stands under a key was stored to its end. */
export type ObjectStore = {
  /** Streams `body` to storage and answers with its length and SHA-256 (hex). */
  put(
    key: string,
    body: AsyncIterable<Uint8Array>,
    meta: ObjectMeta,
  ): Promise<{ bytes: number; sha256: string }>;
  head(key: string): Promise<ObjectHead | undefined>;
  /** The caller reads `stream` to its end or destroys it. `range` must lie inside the object. */
  get(key: string, range?: ByteRange): Promise<ObjectBody | undefined>;
  /** Succeeds where there is no such object, too. */
  delete(key: string): Promise<void>;
  /** Every object, in no order; what comes or goes meanwhile may be missed. */
  list(): AsyncIterable<ListedObject>;
  /** Removes what is left of puts that began before `before` and never ended; answers with how many. */
  removeUnfinished(before: Date): Promise<number>;
};

const TYPES: Readonly<Record<string, string>> = {
  mp4: "video/mp4",
  webm: "video/webm",
  png: "image/png",
  jpg: "image/jpeg",
  webp: "image/webp",
};

/** What caches are told of every object, also by a bucket that is read without us. */
export const CACHE_CONTROL = "public, max-age=31536000, immutable";

const KEY = /^[a-z0-9/._-]{1,512}$/;

/** Whether `key` may name an object: no empty segment, and none that begins with a dot. */
export function isObjectKey(key: string): boolean {
  return KEY.test(key) && key.split("/").every((part) => part !== "" && !part.startsWith("."));
}

/** The content type that a key's extension stands for. */
export function contentTypeOf(key: string): string {
  return TYPES[extensionOf(key)] ?? "application/octet-stream";
}

/** The key extension (no dot) of a stored content type, or undefined where it is not one of ours. */
export function extensionFor(contentType: string): string | undefined {
  return Object.entries(TYPES).find(([, type]) => type === contentType)?.[0];
}

/** Throws a RangeError unless `key` is a legal key. */
export function assertKey(key: string): void {
  if (!isObjectKey(key)) throw new RangeError(`not an object key: ${JSON.stringify(key)}`);
}

/** Throws unless `key` is legal and its extension agrees with the content type. */
export function assertPut(key: string, meta: ObjectMeta): void {
  assertKey(key);
  if (contentTypeOf(key) === meta.contentType) return;
  throw new RangeError(`${key} is not a key for ${meta.contentType}`);
}

/** Thrown by `put` when the body was not as long as announced; nothing was stored. */
export class LengthMismatchError extends Error {
  override name = "LengthMismatchError";
}

/** Throws a LengthMismatchError unless `bytes` is what `meta` announced (or it announced nothing). */
export function assertLength(meta: ObjectMeta, bytes: number): void {
  if (meta.bytes === undefined || meta.bytes === bytes) return;
  throw new LengthMismatchError(`announced ${meta.bytes} bytes, received ${bytes}`);
}

function extensionOf(key: string): string {
  const dot = key.lastIndexOf(".");
  return dot === -1 ? "" : key.slice(dot + 1);
}
