/** The pictures and the end user that requests of the dialect name. */
import { isDataUrl } from "../validation/checker.ts";
import { Problem, toProblem } from "../http/problem.ts";
import { idempotencyKeyOf } from "../http/document-routes.ts";
import { callerOf, type Call } from "../http/request-state.ts";
import { createdId } from "../operations/create.ts";
import type { Deps } from "../operations/deps.ts";
import { getFile, storeFile } from "../operations/files.ts";
import { ownerOf } from "../operations/operation.ts";

/** A picture of a request, with the name of its field. */
export type Picture = { param: string } & ({ file: Uint8Array } | { url: string } | { id: string });

/** Calls `create` with the pictures' URLs. Files of a refused create are deleted. */
export async function withPictures<T>(
  call: Call<Deps>,
  pictures: Picture[],
  create: (urls: string[]) => Promise<T>,
): Promise<T> {
  const { deps, request } = call;
  const stored: string[] = [];
  try {
    const urls = await storePictures(call, pictures.splice(0), stored);
    request.held?.release();
    return await create(urls);
  } catch (error) {
    // A request with a key is repeated with it, and finds its files.
    if (idempotencyKeyOf(request) !== undefined) throw error;
    const refs = stored.map((fileId) => ({ ...ownerOf(request), fileId }));
    // They would expire anyway.
    await Promise.allSettled(refs.map((ref) => deps.delivery.deleteFile(ref)));
    throw error;
  }
}

/** A function of its own, so that no bytes are kept while something is made of the pictures. */
async function storePictures(call: Call<Deps>, pictures: readonly Picture[], stored: string[]) {
  const urls: string[] = [];
  for (const [index, picture] of pictures.entries()) {
    // A key that edits of images have used is a new one for videos.
    const operation = picture.param === "image" ? "openaiEdit" : "openai";
    const fileId = createdId(call, `${operation}Picture${index}`, "file");
    const store = async (bytes: Uint8Array) => {
      const { file } = await storeFile(call, fileId, bytes);
      stored.push(fileId);
      return file.url;
    };
    urls.push(await urlOf(call, picture, store));
  }
  return urls;
}

async function urlOf(
  call: Call<Deps>,
  picture: Picture,
  store: (bytes: Uint8Array) => Promise<string>,
): Promise<string> {
  const { restriction } = callerOf(call.request);
  const { param } = picture;
  try {
    if ("id" in picture) return (await getFile(call, picture.id)).url;
    if ("url" in picture && !isDataUrl(picture.url)) return picture.url;
    const bytes = "file" in picture ? picture.file : bytesOf(picture.url);
    if (bytes.length === 0) {
      const message = `${param} has no bytes in base64. Send those of a PNG, JPEG or WebP.`;
      throw new Problem("invalid_value", { message, param });
    }
    if (restriction !== undefined) throw new Problem(restriction);
    return await store(bytes);
  } catch (error) {
    const { code, options } = toProblem(error);
    if (options.param === undefined && code !== "file_not_found") throw error;
    const { faults: _, ...rest } = options;
    const type = code === "file_not_found" ? { type: "invalid_request_error" as const } : {};
    throw new Problem(code, { ...rest, ...type, param });
  }
}

function bytesOf(url: string): Uint8Array {
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
}

type Named = { user?: string | null | undefined; safety_identifier?: string | null | undefined };

export function endUserOf({ user, safety_identifier: identifier }: Named): { end_user?: string } {
  const endUser = identifier ?? user;
  return typeof endUser === "string" ? { end_user: endUser } : {};
}
