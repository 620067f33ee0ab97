/** GetFile: reads what is known of a file. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { isId } from "#runtime/id.ts";
import { modeName } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { toFile } from "../domain/file.ts";
import { findFile } from "../store/files.ts";
import { fileDeleted, fileNotFound } from "./file-refusals.ts";

export function getFile({ sql }: Deps): ServiceImpl<typeof DeliveryService>["getFile"] {
  return async ({ accountId, mode, fileId }) => {
    const id = { accountId, mode: modeName(mode), id: fileId };
    const row = isId("file", fileId) ? await findFile(sql, id) : undefined;
    if (!row?.key) throw fileNotFound();
    if (row.isDeleted) throw fileDeleted();
    return { file: toFile(row) };
  };
}
