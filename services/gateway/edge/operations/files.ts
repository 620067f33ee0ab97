/** Operations on files. */
import type { Call } from "../http/request-state.ts";
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

const FILE: Noun<Owner & { fileId: string }> = {
  name: "file",
  idSchema: "FileId",
  code: "file_not_found",
  deleted: () => "This file was deleted. Send it again if you need it.",
  refOf: (owner, fileId) => ({ ...owner, fileId }),
  read: ({ delivery }, ref) => delivery.getFile(ref),
};

export const createFile: Operation = async (call) => {
  const fileId = createdId(call, "createFile", "file");
  const { file, replayed } = await storeFile(call, fileId, call.request.body as Uint8Array);
  if (replayed) void call.reply.header("Idempotent-Replayed", "true");
  return file;
};

export async function storeFile({ deps, request }: Call<Deps>, fileId: string, bytes: Uint8Array) {
  const stored = await deps.delivery.createFile({ ...ownerOf(request), fileId, content: bytes });
  return { file: presentFile(deps, stored.file), replayed: stored.replayed };
}

/** By default the one that the path names. */
export async function getFile(call: Call<Deps>, id?: string): Promise<PublicFile> {
  const { deps } = call;
  const { file } = await ofOwner(call, FILE, (ref) => deps.delivery.getFile(ref), id);
  return presentFile(deps, file);
}

export const retrieveFile: Operation = (call) => getFile(call);

export const listFiles: Operation = async ({ deps, request }) => {
  const { files, hasMore } = await readPage(deps.delivery.listFiles(pageParams(request)));
  const shown = files.map((file) => presentFile(deps, file));
  return presentPage(shown, hasMore);
};

export const deleteFile: Operation = async (call) => {
  await ofOwner(call, FILE, (ref) => call.deps.delivery.deleteFile(ref));
};

type PublicFile = components["schemas"]["StoredFile"];

function presentFile({ assetBaseUrl }: Deps, found: File | undefined): PublicFile {
  const file = required(found);
  return {
    ...publicOf(file),
    object: "file",
    url: `${assetBaseUrl()}/${file.key}`,
    content_type: file.contentType as PublicFile["content_type"],
  };
}
