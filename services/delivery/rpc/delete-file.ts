/** DeleteFile: deletes a file that no generation uses. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { isId } from "#runtime/id.ts";
import { modeName } from "#runtime/mode.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import type { Deps } from "../deps.ts";
import { markGenerationForDeletion } from "../store/asset-deletions.ts";
import { findFile, isFileUsed, lockFile } from "../store/files.ts";
import { fileNotFound } from "./file-refusals.ts";

export function deleteFile(deps: Deps): ServiceImpl<typeof DeliveryService>["deleteFile"] {
  return async ({ accountId, mode, fileId }) => {
    const id = { accountId, mode: modeName(mode), id: fileId };
    const row = isId("file", fileId) ? await findFile(deps.sql, id) : undefined;
    if (!row?.key) throw fileNotFound();
    await deps.sql.begin(async (tx) => {
      await lockFile(tx, accountId, fileId);
      if (await isFileUsed(tx, accountId, fileId)) throw inUse();
      const at = deps.clock.now();
      await markGenerationForDeletion(tx, { accountId, generationId: fileId, at });
    });
    deps.wakeDeletion();
    return {};
  };
}

function inUse(): Error {
  return refusal({
    reason: ErrorReason.FILE_IN_USE,
    message: "A generation uses this file. Delete the generation, and the file is deleted with it.",
  });
}
