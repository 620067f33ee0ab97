/** Refusals that several RPCs share. */
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { notFound as noSuch, refusal } from "#runtime/rpc/errors.ts";

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

/** `token` of a callback. */
export function notIssued(): Error {
  return noSuch("token", "this service did not issue the token, or the key that signed it is gone");
}
