/** Refusals that the RPCs of files share. */
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";

const NOT_FOUND =
  "Your account has no such file in this mode, or it was deleted. Send the picture again and use its new URL.";

/** `field` names what the client sent. */
export function unknownFile(field: string) {
  return { reason: ErrorReason.FILE_NOT_FOUND, field, message: NOT_FOUND };
}

export function fileNotFound(): Error {
  return refusal(unknownFile("file_id"));
}

export function fileDeleted(): Error {
  return refusal({ reason: ErrorReason.FILE_DELETED, message: "The file was deleted." });
}
