/** Operations on files. */
import type { FastifyRequest } from "fastify";
import type { Deps } from "./deps.ts";
import {
  type Noun,
  ofOwner,
  type Owner,
  type Operation,
  ownerOf,
  pageParams,
  readPage,
  presentPage,
  publicOf,
  required,
} from "./operation.ts";
import { createdId } from "./create.ts";
import type { components } from "#gen/openapi/media.ts";
import type { File } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { publicTime } from "#vocabulary/public-values.ts";

const FILE: Noun<Owner & { fileId: string }> = {
  name: "file",
  idSchema: "FileId",
  code: "file_not_found",
  refOf: (owner, fileId) => ({ ...owner, fileId }),
  read: ({ delivery }, ref) => delivery.getFile(ref),
};

export const createFile: Operation = (deps) => async (request, reply) => {
  const fileId = createdId(deps, request, "createFile", "file");
  const { file, replayed } = await storeFile(deps, request, fileId, request.body as Uint8Array);
  if (replayed) void reply.header("Idempotent-Replayed", "true");
  return file;
};

export async function storeFile(
  deps: Deps,
  request: FastifyRequest,
  fileId: string,
  content: Uint8Array,
): Promise<{ file: PublicFile; replayed: boolean }> {
  const stored = await deps.delivery.createFile({ ...ownerOf(request), fileId, content });
  const file = presentFile(required(stored.file), deps.assetBaseUrl());
  return { file, replayed: stored.replayed };
}

export const retrieveFile: Operation = (deps) => async (request) => {
  const { file } = await ofOwner(deps, request, FILE, (ref) => deps.delivery.getFile(ref));
  return presentFile(required(file), deps.assetBaseUrl());
};

export const listFiles: Operation = (deps) => async (request) => {
  const { files, hasMore } = await readPage(deps.delivery.listFiles(pageParams(request)));
  const present = (file: File) => presentFile(file, deps.assetBaseUrl());
  return presentPage(files.map(present), hasMore);
};

export const deleteFile: Operation = (deps) => async (request) => {
  await ofOwner(deps, request, FILE, (ref) => deps.delivery.deleteFile(ref));
};

type PublicFile = components["schemas"]["StoredFile"];

export function presentFile(file: File, assetBaseUrl: string): PublicFile {
  return {
    ...publicOf(file),
    object: "file",
    url: `${assetBaseUrl}/${file.key}`,
    content_type: file.contentType as PublicFile["content_type"],
    created_at: publicTime(required(file.createdAt)),
  };
}
