/** Refusals that several RPCs share. */
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { invalidField, notFound as noSuch, refusal } from "#runtime/rpc/errors.ts";

export function notFound(id: string): Error {
  return noSuch("generation_id", `there is no generation "${id}"`);
}

export function deleted(): Error {
  return refusal({
    reason: ErrorReason.GENERATION_DELETED,
    message: "the generation was deleted; its transactions stay",
  });
}

export function unavailable(): Error {
  return refusal({
    reason: ErrorReason.UNAVAILABLE,
    message: "the request could not be carried out now; nothing was charged, try again",
  });
}

/** The end is decided, and a worker settles it. */
export function notSettledYet(): Error {
  return refusal({
    reason: ErrorReason.UNAVAILABLE,
    message: "The end is decided; its Tokens are restored in a moment. Read the generation again.",
  });
}

/** `token` of a callback. */
export function notIssued(): Error {
  return noSuch("token", "this service did not issue the token, or the key that signed it is gone");
}

/** A message field that the proto marks as required, which its TypeScript type does not say. */
export function required<T>(value: T | undefined, field: string): T {
  if (value !== undefined) return value;
  throw invalidField(field, `${field} is required`);
}
