/** One S3 multipart upload: sends its parts in order and completes it, or aborts it on any failure. */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { CACHE_CONTROL, type ObjectMeta } from "./object-store.ts";
import type { Part } from "./s3-parts.ts";

/** What is not aborted is removed later: see `removeUnfinished`. */
const ABORT_TIMEOUT_MS = 5_000;

/**
 * Uploads `first` and then the rest of `parts`; returns the return value of `parts`. The object appears under its key
 * only when the last request has succeeded.
 */
export async function uploadParts<T>(
  client: S3Client,
  target: { Bucket: string; Key: string },
  meta: ObjectMeta,
  first: Part,
  parts: AsyncGenerator<Part, T>,
  options: { abortSignal: AbortSignal },
): Promise<T> {
  const create = new CreateMultipartUploadCommand({
    ...target,
    ContentType: meta.contentType,
    CacheControl: CACHE_CONTROL,
  });
  const upload = { ...target, UploadId: (await client.send(create, options)).UploadId };
  try {
    const tags: (string | undefined)[] = [];
    let next: IteratorResult<Part, T> = { done: false, value: first };
    while (!next.done) {
      const part = { ...upload, PartNumber: tags.length + 1, Body: next.value.body };
      tags.push((await client.send(new UploadPartCommand(part), options)).ETag);
      next = await parts.next();
    }
    const Parts = tags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }));
    await client.send(
      new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }),
      options,
    );
    return next.value;
  } catch (error) {
    // The original error is reported, even if the abort fails too.
    const abort = new AbortMultipartUploadCommand(upload);
    await client.send(abort, { requestTimeout: ABORT_TIMEOUT_MS }).catch(() => undefined);
    throw error;
  }
}
