/** The interface of object storage, the rules for keys that every store enforces, and whether storage is there. */
import type { Readable } from "node:stream";
import { succeeds, within, type Clock } from "#runtime/clock.ts";
import type { MediaType } from "../media/inspect.ts";

/** First and last byte, both inclusive. */
export type ByteRange = { start: number; end: number };

export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Objects are written as a whole and never changed: a key has either the complete object or none. */
export type ObjectStore = {
  /** Streams `body` to storage. The key's extension says the content type. */
  put(key: string, body: Chunks): Promise<void>;
  head(key: string): Promise<{ bytes: number } | undefined>;
  /** The caller reads the stream to its end or destroys it. `range` must lie inside the object. */
  get(key: string, range?: ByteRange): Promise<Readable | undefined>;
  /** Also succeeds if the object does not exist. */
  delete(key: string): Promise<void>;
  /** Every object, in no particular order; objects added or deleted meanwhile may be missed. */
  list(): AsyncIterable<{ key: string; storedAt: Date }>;
  /** Removes the data of puts that began before `before` and never ended. A bucket has a rule of its own for that. */
  removeUnfinished?(before: Date): Promise<void>;
};

export const EXTENSIONS = {
  "video/mp4": "mp4",
  "video/webm": "webm",
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
} as const satisfies Record<MediaType, string>;

/** The Cache-Control header of every object; S3 stores it too, for reads directly from the bucket. */
export const CACHE_CONTROL = "public, max-age=31536000, immutable";

const KEY = /^[a-z0-9][a-z0-9._-]{0,127}$/;

/** Whether `key` is a valid object key: the name of a file that is not hidden. */
export function isObjectKey(key: string): boolean {
  return KEY.test(key);
}

export function contentTypeOf(key: string): string {
  const found = Object.entries(EXTENSIONS).find(([, extension]) => key.endsWith(`.${extension}`));
  return found?.[0] ?? "application/octet-stream";
}

/** Every key that an object can have whose name without its extension is `name`. */
export function possibleKeys(name: string): string[] {
  return Object.values(EXTENSIONS).map((extension) => `${name}.${extension}`);
}

/** Throws a RangeError unless `key` is valid. */
export function assertKey(key: string): void {
  if (!isObjectKey(key)) throw new RangeError(`not an object key: ${JSON.stringify(key)}`);
}

/** Undefined if `operation` rejects with an error by which the store says that there is none. */
export async function ifExists<T>(
  operation: Promise<T>,
  isAbsent: (error: NodeJS.ErrnoException) => boolean,
): Promise<T | undefined> {
  return operation.catch((error: NodeJS.ErrnoException) => {
    if (isAbsent(error)) return undefined;
    throw error;
  });
}

/** The whole object, unless there is none, or it has more than `maxBytes`. */
export async function readWhole(
  store: ObjectStore,
  key: string,
  maxBytes: number,
): Promise<Buffer | "absent" | "too long"> {
  const stream: AsyncIterable<Buffer> | undefined = await store.get(key);
  if (!stream) return "absent";
  const chunks: Buffer[] = [];
  let bytes = 0;
  // What is left of a stream is destroyed.
  for await (const chunk of stream) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return "too long";
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A name that no object has: storage answers at once that there is none. */
const NO_KEY = "none";
/** Less than a scrape waits. */
const ANSWER_MS = 900;
/** A put that hangs fails after four minutes, and is repeated within one. */
const REMEMBER_MS = 5 * 60_000;

/** A store that knows whether it takes and gives objects. */
export function watchedStore(store: ObjectStore, clock: Clock) {
  let failedAtMs = -Infinity;
  const watched: ObjectStore = {
    ...store,
    async put(...args) {
      try {
        await store.put(...args);
        failedAtMs = -Infinity;
      } catch (error) {
        failedAtMs = clock.monotonicMs();
        throw error;
      }
    },
  };
  return {
    store: watched,
    /** Reads now. Whether it takes, the last put tells: a probe would leave versions in a bucket that keeps them. */
    available: async () => {
      const read = (await within(clock, ANSWER_MS, succeeds(store.head(NO_KEY)))) ?? false;
      return { read, write: clock.monotonicMs() - failedAtMs > REMEMBER_MS };
    },
  };
}
