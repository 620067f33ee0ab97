/** Object storage in an S3 bucket: where it connects, as whom, how long it waits, and what it stores. */
import { Readable } from "node:stream";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import {
  assertKey,
  CACHE_CONTROL,
  contentTypeOf,
  ifExists,
  type ObjectStore,
} from "./object-store.ts";

export type S3Config = {
  /** The address of S3-compatible storage other than Amazon's. */
  endpoint?: string;
  region: string;
  bucket: string;
  /** By default the SDK's own chain, which is environment, shared files, web identity, container and instance. */
  credentials?: { accessKeyId: string; secretAccessKey: string };
  forcePathStyle: boolean;
};

export const LIMITS = {
  /** Each of up to three attempts of a request, until the headers of its response. */
  requestMs: 60_000,
  /** The same for reads, which a client waits for. */
  readMs: 10_000,
  /** A whole put. */
  putMs: 4 * 60_000,
};
const MAX_ATTEMPTS = 3;
/** Longer bodies are multipart uploads with parts of this length, of which each put holds one in memory. */
const PART_BYTES = 8 * 1024 * 1024;

/** By the names of S3 alone: a file with the SDK's credentials may be missing, too. */
const existing = <T>(operation: Promise<T>) =>
  ifExists(operation, ({ name }) => name === "NotFound" || name === "NoSuchKey");

/** A store in one bucket. A failed put aborts its upload; after a crash a lifecycle rule removes the parts. */
export function createS3Store(config: S3Config, limits = LIMITS): ObjectStore & Disposable {
  const client = new S3Client({
    ...config,
    // Payloads are signed with their SHA-256; not every S3-compatible storage supports the newer checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: {
      connectionTimeout: 5_000,
      socketTimeout: 60_000,
      requestTimeout: limits.requestMs,
      throwOnRequestTimeout: true,
      // A download holds a socket until the client has read it.
      httpAgent: { maxSockets: 512 },
      httpsAgent: { maxSockets: 512 },
    },
  });
  const reading = { requestTimeout: limits.readMs };
  const at = (key: string) => {
    assertKey(key);
    return { Bucket: config.bucket, Key: key };
  };
  return {
    async put(key, body) {
      const object = at(key);
      const stream = Readable.from(body, { highWaterMark: 1 });
      const upload = new Upload({
        client,
        params: {
          ...object,
          Body: stream,
          ContentType: contentTypeOf(key),
          CacheControl: CACHE_CONTROL,
        },
        partSize: PART_BYTES,
        queueSize: 1,
      });
      const timer = setTimeout(() => void upload.abort(), limits.putMs);
      try {
        await upload.done();
      } finally {
        clearTimeout(timer);
        // Closes the caller's body if an upload failed before its end.
        stream.destroy();
      }
    },
    async head(key) {
      const found = await existing(client.send(new HeadObjectCommand(at(key)), reading));
      return found && { bytes: found.ContentLength ?? 0 };
    },
    async get(key, range) {
      const Range = range && `bytes=${range.start}-${range.end}`;
      const found = await existing(
        client.send(new GetObjectCommand({ ...at(key), Range }), reading),
      );
      return found?.Body as Readable | undefined;
    },
    async delete(key) {
      await client.send(new DeleteObjectCommand(at(key)));
    },
    async *list() {
      const pages = paginateListObjectsV2({ client }, { Bucket: config.bucket });
      for await (const { Contents = [] } of pages) {
        for (const { Key, LastModified } of Contents)
          if (Key !== undefined && LastModified) yield { key: Key, storedAt: LastModified };
      }
    },
    [Symbol.dispose]: () => client.destroy(),
  };
}
