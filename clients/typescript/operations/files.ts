/** The functions of files: pictures of your own, to be used by generations. */
import type { ApiPromise } from "../http/api-promise.ts";
import type { CallOptions, Connection } from "../http/connection.ts";
import { idempotencyHeader, type CreateOptions } from "../http/idempotency.ts";
import type { StoredFile } from "../http/types.ts";

export type FileFunctions = {
  /** Sends a PNG, JPEG or WebP of at most 20 MB. Its `url` then does as `image_url` or in `image_urls`. */
  createFile: (picture: Blob | Uint8Array, options?: CreateOptions) => ApiPromise<StoredFile>;
  retrieveFile: (id: string, options?: CallOptions) => ApiPromise<StoredFile>;
  /** Throws an error with the code `file_in_use` while a generation uses the file. */
  deleteFile: (id: string, options?: CallOptions) => ApiPromise<void>;
};

export function fileFunctions({ http, sending, answer }: Connection): FileFunctions {
  return {
    createFile: (picture, options) =>
      answer(
        http.POST("/files", {
          body: { file: "" },
          bodySerializer: () => formOf(picture),
          params: { header: idempotencyHeader(options) },
          ...sending(options),
        }),
      ),
    retrieveFile: (id, options) =>
      answer(http.GET("/files/{id}", { params: { path: { id } }, ...sending(options) })),
    deleteFile: (id, options) =>
      answer<void>(http.DELETE("/files/{id}", { params: { path: { id } }, ...sending(options) })),
  };
}

function formOf(picture: Blob | Uint8Array): FormData {
  const form = new FormData();
  // A Blob copies bytes of any buffer.
  form.append("file", new Blob([picture as Uint8Array<ArrayBuffer>]));
  return form;
}
