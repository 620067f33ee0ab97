/** Object storage in an S3 bucket. */
import type { Readable } from "node:stream";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { createBufferPool } from "./buffer-pool.ts";
import { assertKey, assertPut, CACHE_CONTROL, type ObjectStore } from "./object-store.ts";
import { LIMITS, s3Client, type S3Config, type S3Limits } from "./s3-client.ts";
import { abortUploads, listObjects } from "./s3-listing.ts";
import { uploadParts } from "./s3-multipart.ts";
import { cutParts, type Part, type Stored } from "./s3-parts.ts";

export type S3StoreOptions = {
  /** Objects of one request of a listing. */
  pageSize?: number;
  limits?: S3Limits;
};

/** Longer bodies are multipart uploads with parts of this length; S3 requires at least 5 MiB for all but the last. */
const PART_BYTES = 8 * 1024 * 1024;
/** Parts held in memory at a time; further uploads wait. */
const MAX_BUFFERS = 8;
/**
 * A store in one bucket. A body of up to 8 MiB is one PutObject; a longer one is a multipart upload with one part in
 * memory at a time. At most 8 buffers of 8 MiB are in use. A failed put aborts its upload. If a crash interrupts an
 * upload, its parts remain, invisible to readers, until `removeUnfinished` removes them.
 */
export function createS3Store(
  config: S3Config,
  { pageSize = 1_000, limits = LIMITS }: S3StoreOptions = {},
): ObjectStore & Disposable {
  const client = s3Client(config, limits);
  const buffers = createBufferPool(MAX_BUFFERS, PART_BYTES);
  const listing = { client, bucket: config.bucket, pageSize };
  const reading = { requestTimeout: limits.readMs };
  const at = (key: string) => ({ Bucket: config.bucket, Key: key });
  return {
    async put(key, body, meta) {
      assertPut(key, meta);
      const abortSignal = AbortSignal.timeout(limits.putMs);
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
              { abortSignal },
            )
          : await uploadParts(client, at(key), meta, first.value, parts, { abortSignal });
      } finally {
        // Closes the caller's body if an upload failed before its end.
        await parts.return({ bytes: 0, sha256: "" });
      }
    },
    async head(key) {
      assertKey(key);
      const found = await orUndefined(client.send(new HeadObjectCommand(at(key)), reading));
      return found && { bytes: found.ContentLength ?? 0, contentType: found.ContentType ?? "" };
    },
    async get(key, range) {
      assertKey(key);
      const Range = range && `bytes=${range.start}-${range.end}`;
      const found = await orUndefined(
        client.send(new GetObjectCommand({ ...at(key), Range }), reading),
      );
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

async function putWhole(
  client: S3Client,
  target: { Bucket: string; Key: string; ContentType: string; CacheControl: string },
  part: Part,
  parts: AsyncGenerator<Part, Stored>,
  options: { abortSignal: AbortSignal },
): Promise<Stored> {
  await client.send(new PutObjectCommand({ ...target, Body: part.body }), options);
  const end = await parts.next();
  if (!end.done) throw new Error("a part followed the last part");
  return end.value;
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
