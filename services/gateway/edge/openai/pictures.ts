/** The pictures and the end user that requests of the dialect name. */
import type { FastifyRequest } from "fastify";
import { modeOf } from "#vocabulary/names.ts";
import { isDataUrl } from "../validation/checker.ts";
import { Problem, toProblem } from "../http/problem.ts";
import { idempotencyKeyOf } from "../http/document-routes.ts";
import { callerOf } from "../http/request-state.ts";
import { createdId } from "../operations/create.ts";
import type { Deps } from "../operations/deps.ts";
import { presentFile, storeFile } from "../operations/files.ts";
import { required } from "../presenters/page.ts";

/** A picture of a request, with the name of its field. */
export type Picture = { param: string } & ({ file: Uint8Array } | { url: string } | { id: string });

/**
 * Calls `create` with the URLs of the pictures, which are not kept in memory while it waits. Files that are stored for a create
 * that is refused are deleted again.
 */
export async function withPictures<T>(
  deps: Deps,
  request: FastifyRequest,
  pictures: Picture[],
  create: (urls: string[]) => Promise<T>,
): Promise<T> {
  const stored: string[] = [];
  try {
    const urls = await storePictures(deps, request, pictures.splice(0), stored);
    request.held?.release();
    return await create(urls);
  } catch (error) {
    // A request with a key is repeated with it, and finds its files.
    if (idempotencyKeyOf(request) === undefined) await deleteFiles(deps, request, stored);
    throw error;
  }
}

async function storePictures(
  deps: Deps,
  request: FastifyRequest,
  pictures: readonly Picture[],
  stored: string[],
): Promise<string[]> {
  const urls: string[] = [];
  for (const [index, picture] of pictures.entries()) {
    urls.push(await urlOf(deps, request, { picture, index, stored }));
  }
  return urls;
}

type Place = { picture: Picture; index: number; stored: string[] };

async function urlOf(
  deps: Deps,
  request: FastifyRequest,
  { picture, index, stored }: Place,
): Promise<string> {
  const { accountId, mode, restriction } = callerOf(request);
  const { param } = picture;
  try {
    if ("id" in picture) {
      const name = { accountId, mode: modeOf(mode), fileId: picture.id };
      const { file } = await deps.delivery.getFile(name);
      return presentFile(required(file), deps.assetBaseUrl()).url;
    }
    const bytes = "file" in picture ? picture.file : bytesOf(picture.url);
    if (bytes === undefined) return "url" in picture ? picture.url : "";
    if (bytes.length === 0) {
      throw new Problem("invalid_value", {
        message: `${param} has no bytes in base64. Send those of a PNG, JPEG or WebP.`,
        param,
      });
    }
    if (restriction !== undefined) throw new Problem(restriction);
    const fileId = createdId(deps, request, `openaiPicture${index}`, "file");
    const { file } = await storeFile(deps, request, fileId, bytes);
    stored.push(fileId);
    return file.url;
  } catch (error) {
    const { code, options } = toProblem(error);
    if (options.param === undefined && code !== "file_not_found") throw error;
    const { faults: _, ...rest } = options;
    throw new Problem(code, { ...rest, type: "invalid_request_error", param });
  }
}

/** The bytes of a data URL; undefined for any other. */
function bytesOf(url: string): Uint8Array | undefined {
  if (!isDataUrl(url)) return undefined;
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
}

/** They would expire anyway. */
async function deleteFiles(deps: Deps, request: FastifyRequest, ids: string[]): Promise<void> {
  const { accountId, mode } = callerOf(request);
  const deletions = ids.map((fileId) =>
    deps.delivery.deleteFile({ accountId, mode: modeOf(mode), fileId }),
  );
  await Promise.allSettled(deletions);
}

type Named = { user?: string | null | undefined; safety_identifier?: string | null | undefined };

export function endUserOf({ user, safety_identifier: identifier }: Named): { end_user?: string } {
  const endUser = identifier ?? user;
  return typeof endUser === "string" ? { end_user: endUser } : {};
}
