/** Lists a bucket's objects, and aborts its unfinished uploads. */
import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type MultipartUpload,
  type S3Client,
} from "@aws-sdk/client-s3";
import type { ListedObject } from "./object-store.ts";

export type Listing = { client: S3Client; bucket: string; pageSize: number };

/** All objects; requests one page at a time. */
export async function* listObjects({
  client,
  bucket,
  pageSize,
}: Listing): AsyncGenerator<ListedObject> {
  let after: string | undefined;
  do {
    const page = await client.send(
      new ListObjectsV2Command({ Bucket: bucket, MaxKeys: pageSize, StartAfter: after }),
    );
    after = undefined;
    for (const { Key, LastModified } of page.Contents ?? []) {
      if (Key !== undefined && LastModified) yield { key: Key, storedAt: LastModified };
      if (page.IsTruncated) after = Key;
    }
  } while (after !== undefined);
}

/** Aborts uploads that began before `before`; returns how many. */
export async function abortUploads(listing: Listing, before: Date): Promise<number> {
  const { client, bucket } = listing;
  let aborted = 0;
  for await (const { Key, UploadId, Initiated } of listUploads(listing)) {
    if (Initiated === undefined || Initiated >= before) continue;
    await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }));
    aborted += 1;
  }
  return aborted;
}

async function* listUploads({
  client,
  bucket,
  pageSize,
}: Listing): AsyncGenerator<MultipartUpload> {
  let markers: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {};
  while (markers) {
    const page: Awaited<ReturnType<typeof fetchPage>> = await fetchPage(markers);
    yield* page.Uploads ?? [];
    const { IsTruncated, NextKeyMarker, NextUploadIdMarker } = page;
    markers =
      IsTruncated && NextKeyMarker !== undefined
        ? {
            KeyMarker: NextKeyMarker,
            ...(NextUploadIdMarker === undefined ? {} : { UploadIdMarker: NextUploadIdMarker }),
          }
        : undefined;
  }
  function fetchPage(from: { KeyMarker?: string; UploadIdMarker?: string }) {
    return client.send(
      new ListMultipartUploadsCommand({ Bucket: bucket, MaxUploads: pageSize, ...from }),
    );
  }
}
