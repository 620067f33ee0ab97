/** The functions of files: pictures of your own, to be used by generations. */
import type { ApiPromise } from "../http/api-promise.ts";
import type { CallOptions, Connection } from "../http/connection.ts";
import {
  idempotencyHeader,
  type CreateOptions,
  type IdempotencyHeader,
} from "../http/idempotency.ts";
import { blobOf, withSentPictures, type Picture, type WithPictures } from "../http/pictures.ts";
import type { Listing } from "../http/pages.ts";
import type { FileFilter, StoredFile } from "../http/types.ts";

export type Files = {
  /** Sends a PNG, JPEG or WebP of at most 20 MB. Its `url` then does as `image_url` or in `image_urls`. */
  create: (picture: Picture, options?: CreateOptions) => ApiPromise<StoredFile>;
  /** The pictures that were sent and not deleted, newest first. */
  list: (filter?: FileFilter, options?: CallOptions) => Listing<StoredFile>;
  /** What is known of the file. Its bytes are at its `url`. */
  retrieve: (id: string, options?: CallOptions) => ApiPromise<StoredFile>;
  /** Throws an error with the code `file_in_use` while a generation uses the file. */
  delete: (id: string, options?: CallOptions) => ApiPromise<void>;
};

export function files({ http, sending, answer, list }: Connection): Files {
  return {
    create: (picture, options) =>
      answer(
        formOf(picture).then((form) =>
          http.POST("/files", {
            body: { file: "" },
            bodySerializer: () => form,
            params: { header: idempotencyHeader(options) },
            ...sending(options),
          }),
        ),
      ),
    list: (filter, options) => list("/files", filter, options),
    retrieve: (id, options) =>
      answer(http.GET("/files/{id}", { params: { path: { id } }, ...sending(options) })),
    delete: (id, options) =>
      answer(http.DELETE("/files/{id}", { params: { path: { id } }, ...sending(options) })),
  };
}

async function formOf(picture: Picture): Promise<FormData> {
  const form = new FormData();
  form.append("file", await blobOf(picture));
  return form;
}

/** Sends the pictures of a create, each with a key of its own that a repetition of the create has again. */
export function sendPictures<Body extends object>(
  connection: Connection,
  request: WithPictures<Body>,
  { "Idempotency-Key": key }: IdempotencyHeader,
  { idempotencyKey: _key, ...options }: CreateOptions = {},
): Promise<Body> {
  const { create } = files(connection);
  return withSentPictures<Body>(request, key, async (picture, idempotencyKey) => {
    const { url } = await create(picture, { ...options, idempotencyKey });
    return url;
  });
}
