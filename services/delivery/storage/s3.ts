/** Object storage in an S3 bucket. */
import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import type { BufferPool } from "./buffer-pool.ts";
import { createBufferPool } from "./buffer-pool.ts";
import type { ObjectMeta, ObjectStore } from "./object-store.ts";
import { assertKey, assertLength, assertPut, CACHE_CONTROL } from "./object-store.ts";
import { abortUploads, listObjects } from "./s3-listing.ts";
import type { Part } from "./s3-multipart.ts";
import { uploadParts } from "./s3-multipart.ts";

export type S3Config = {
  /** For S3-compatible storage other than Amazon's. */
  endpoint?: string;
  region: string;
  bucket: string;
  /** Undefined: the SDK's own chain, which is environment, shared files, web identity, container and instance. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
  forcePathStyle: boolean;
};

/** Longer bodies are multipart uploads with parts of this length; S3 requires at least 5 MiB for all but the last. */
const PART_BYTES = 8 * 1024 * 1024;
/** Parts held in memory at a time; further uploads wait. */
const MAX_BUFFERS = 8;
/** Bodies up to this length have their own buffer and never wait. */
const MAX_UNPOOLED_BYTES = 256 * 1024;

/**
 * A store in one bucket. A body of up to 8 MiB is one PutObject; a longer one is a multipart upload with one part in
 * memory at a time. At most 8 buffers of 8 MiB are in use. A failed put aborts its upload. If a crash interrupts an
 * upload, its parts remain, invisible to readers, until `removeUnfinished` removes them.
 */
export function createS3Store(
  config: S3Config,
  { pageSize = 1_000 }: { pageSize?: number } = {},
): ObjectStore & Disposable {
  const client = s3Client(config);
  const buffers = createBufferPool(MAX_BUFFERS, PART_BYTES);
  const listing = { client, bucket: config.bucket, pageSize };
  const at = (key: string) => ({ Bucket: config.bucket, Key: key });
  return {
    async put(key, body, meta) {
      assertPut(key, meta);
      const parts = cutParts(body, meta, buffers);
      const first = await parts.next();
      if (first.done) return first.value;
      try {
        return first.value.isLast
          ? await putWhole(
              client,
              { ...at(key), ContentType: meta.contentType, CacheControl: CACHE_CONTROL },
              first.value,
              parts,
            )
          : await uploadParts(client, at(key), meta, first.value, parts);
      } finally {
        // Closes the caller's body if an upload failed before its end.
        await parts.return({ bytes: 0, sha256: "" });
      }
    },
    async head(key) {
      assertKey(key);
      const found = await orUndefined(client.send(new HeadObjectCommand(at(key))));
      return found && { bytes: found.ContentLength ?? 0, contentType: found.ContentType ?? "" };
    },
    async get(key, range) {
      assertKey(key);
      const Range = range && `bytes=${range.start}-${range.end}`;
      const found = await orUndefined(client.send(new GetObjectCommand({ ...at(key), Range })));
      if (found?.Body === undefined) return undefined;
      // For a range, the length of the whole object comes after the slash in Content-Range.
      const bytes = Number(found.ContentRange?.split("/")[1] ?? found.ContentLength ?? 0);
      return { stream: found.Body as Readable, bytes, contentType: found.ContentType ?? "" };
    },
    async delete(key) {
      assertKey(key);
      await client.send(new DeleteObjectCommand(at(key)));
    },
    list: () => listObjects(listing),
    removeUnfinished: (before) => abortUploads(listing, before),
    [Symbol.dispose]: () => client.destroy(),
  };
}

function s3Client(config: S3Config): S3Client {
  const { credentials, endpoint, region, forcePathStyle } = config;
  return new S3Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    region,
    forcePathStyle,
    ...(credentials === undefined ? {} : { credentials }),
    // Payloads are signed with their SHA-256; not every S3-compatible storage supports the newer checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: 5_000,
      socketTimeout: 60_000,
      // A download holds a socket until the client has read it.
      httpAgent: { maxSockets: 512 },
      httpsAgent: { maxSockets: 512 },
    },
  });
}

type Stored = { bytes: number; sha256: string };

async function putWhole(
  client: S3Client,
  target: { Bucket: string; Key: string; ContentType: string; CacheControl: string },
  part: Part,
  parts: AsyncGenerator<Part, Stored>,
): Promise<Stored> {
  await client.send(new PutObjectCommand({ ...target, Body: part.body }));
  const end = await parts.next();
  if (!end.done) throw new Error("a part followed the last part");
  return end.value;
}

/**
 * Cuts `body` into parts and returns its length and SHA-256. All parts share one buffer: a part is valid only until the
 * next is requested. If the body does not have the announced length, throws before the last part.
 */
async function* cutParts(
  body: AsyncIterable<Uint8Array>,
  meta: ObjectMeta,
  buffers: BufferPool,
): AsyncGenerator<Part, Stored> {
  const isSmall = (meta.bytes ?? Infinity) <= MAX_UNPOOLED_BYTES;
  const buffer = isSmall ? Buffer.alloc(Math.max(1, meta.bytes ?? 0)) : await buffers.acquire();
  try {
    return yield* cutInto(buffer, body, meta);
  } finally {
    if (!isSmall) buffers.release(buffer);
  }
}

async function* cutInto(
  buffer: Buffer,
  body: AsyncIterable<Uint8Array>,
  meta: ObjectMeta,
): AsyncGenerator<Part, Stored> {
  const hash = createHash("sha256");
  let filled = 0;
  let bytes = 0;
  for await (let chunk of body) {
    hash.update(chunk);
    bytes += chunk.byteLength;
    if (bytes > (meta.bytes ?? Infinity)) assertLength(meta, bytes);
    while (chunk.byteLength > 0) {
      // A full buffer is sent only when more data follows, so that the last part is known as such.
      if (filled === buffer.byteLength) {
        yield { body: buffer, isLast: false };
        filled = 0;
      }
      const taken = Math.min(chunk.byteLength, buffer.byteLength - filled);
      buffer.set(chunk.subarray(0, taken), filled);
      filled += taken;
      chunk = chunk.subarray(taken);
    }
  }
  assertLength(meta, bytes);
  yield { body: buffer.subarray(0, filled), isLast: true };
  return { bytes, sha256: hash.digest("hex") };
}

/** Undefined if the object does not exist. */
async function orUndefined<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    const { name } = error as Error;
    if (name === "NotFound" || name === "NoSuchKey") return undefined;
    throw error;
  }
}
