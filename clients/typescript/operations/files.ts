/** The functions of files: pictures of your own, to be used by generations. */
import type { ApiPromise } from "../http/api-promise.ts";
import type { CallOptions, Connection, CreateOptions } from "../http/connection.ts";
import { blobOf } from "../http/pictures.ts";
import type { Listing } from "../http/pages.ts";
import type { FileFilter, Picture, StoredFile } from "../http/types.ts";

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

export function files({ call, list }: Connection): Files {
  const one = "/files/{id}";
  return {
    create: (picture, { idempotencyKey, ...options } = {}) => {
      const headers = { "Idempotency-Key": idempotencyKey ?? crypto.randomUUID() };
      const sent = { headers, body: formOf(picture) };
      return call({ method: "POST", path: "/files", needs: ["url"], ...sent }, options);
    },
    list: (filter, options) => list("/files", filter, options),
    retrieve: (id, options) => call({ path: one, id }, options),
    delete: (id, options) => call({ method: "DELETE", path: one, id }, options),
  };
}

async function formOf(picture: Picture): Promise<FormData> {
  const form = new FormData();
  form.append("file", await blobOf(picture));
  return form;
}
