/** Message fields that the proto files mark as required, for the type checker. */
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";

export function required<T>(value: T | undefined, field: string): T {
  if (value !== undefined) return value;
  throw refusal({ reason: ErrorReason.INVALID_FIELD, field, message: `${field} is required` });
}
