/** Operations on files. */
import type { FastifyRequest } from "fastify";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { modeOf } from "#vocabulary/names.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import type { Deps } from "./deps.ts";
import { callerOf } from "../http/request-state.ts";
import { Problem } from "../http/problem.ts";
import { idFault, type Operation, pathId, pageParams, readPage } from "./operation.ts";
import { uploadOf } from "../http/upload.ts";
import { createdId } from "./create.ts";
import { presentPage, required } from "../presenters/page.ts";
import type { components } from "#gen/openapi/media.ts";
import type { File } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { publicTime } from "#vocabulary/public-values.ts";

/** The file in the path, for the caller's account and mode. Throws 404 for what is no file's id. */
export function pathFile(deps: Deps, request: FastifyRequest) {
  const fileId = pathId(request);
  const fault = idFault(deps, fileId, "file", "FileId");
  if (fault) throw fileNotFound(fault);
  const { accountId, mode } = callerOf(request);
  return { accountId, mode: modeOf(mode), fileId };
}

/** The answer of an RPC on the file in the path. */
export async function ofFile<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw reasonOf(error) === ErrorReason.FILE_NOT_FOUND ? fileNotFound() : error;
  }
}

/** An unknown file is 404 in the path and 400 in the body of a create. */
function fileNotFound(message?: string): Problem {
  return new Problem("file_not_found", { type: "not_found_error", ...(message && { message }) });
}

export const createFile: Operation = (deps) => async (request, reply) => {
  const fileId = createdId(deps, request, "createFile", "file");
  const { file, replayed } = await storeFile(deps, request, fileId, uploadOf(request));
  if (replayed) void reply.header("Idempotent-Replayed", "true");
  void reply.code(201);
  return file;
};

/** Stores a picture as a file of the caller's account and mode. */
export async function storeFile(
  deps: Deps,
  request: FastifyRequest,
  fileId: string,
  content: Uint8Array,
): Promise<{ file: PublicFile; replayed: boolean }> {
  const { accountId, mode } = callerOf(request);
  const stored = await deps.delivery.createFile({
    accountId,
    mode: modeOf(mode),
    fileId,
    content,
  });
  const file = presentFile(required(stored.file), deps.assetBaseUrl());
  return { file, replayed: stored.replayed };
}

export const retrieveFile: Operation = (deps) => async (request) => {
  const { file } = await ofFile(deps.delivery.getFile(pathFile(deps, request)));
  return presentFile(required(file), deps.assetBaseUrl());
};

export const listFiles: Operation = (deps) => async (request) => {
  const { files, hasMore } = await readPage(deps.delivery.listFiles(pageParams(request)));
  const assetBaseUrl = deps.assetBaseUrl();
  return presentPage(
    files.map((file) => presentFile(file, assetBaseUrl)),
    hasMore,
  ) satisfies components["schemas"]["StoredFileList"];
};

export const deleteFile: Operation = (deps) => async (request, reply) => {
  await ofFile(deps.delivery.deleteFile(pathFile(deps, request)));
  return reply.code(204).send();
};

type PublicFile = components["schemas"]["StoredFile"];

/** The URL of a file is `assetBaseUrl`, a slash and its storage key. */
export function presentFile(file: File, assetBaseUrl: string): PublicFile {
  const { id, key, bytes, width, height, expiresAt } = file;
  return {
    id,
    object: "file",
    url: `${assetBaseUrl}/${key}`,
    content_type: file.contentType as PublicFile["content_type"],
    bytes: Number(bytes),
    width,
    height,
    created_at: publicTime(required(file.createdAt)),
    ...(expiresAt ? { expires_at: publicTime(expiresAt) } : {}),
  };
}
