/** Errors of refused calls: a reason from the proto enum, carried as a detail of the Connect error. */
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  ErrorInfoSchema,
  ErrorReason,
  FaultSchema,
} from "#gen/proto/media/runtime/v1/errors_pb.ts";
import type { Fault } from "#gen/proto/media/runtime/v1/errors_pb.ts";

type FaultInit = {
  reason: ErrorReason;
  message: string;
  field?: string;
  metadata?: Record<string, string>;
};

const CODE_OF: Partial<Record<number, Code>> = {
  [ErrorReason.NOT_FOUND]: Code.NotFound,
  [ErrorReason.MODEL_NOT_FOUND]: Code.NotFound,
  [ErrorReason.CONTENT_DIFFERS]: Code.AlreadyExists,
  [ErrorReason.INSUFFICIENT_TOKENS]: Code.FailedPrecondition,
  [ErrorReason.HOLD_RESOLVED]: Code.FailedPrecondition,
  [ErrorReason.MODEL_UNAVAILABLE]: Code.FailedPrecondition,
  [ErrorReason.SOURCE_GONE]: Code.FailedPrecondition,
  [ErrorReason.PRODUCTION_REQUIRED]: Code.FailedPrecondition,
  [ErrorReason.NOT_CANCELABLE]: Code.FailedPrecondition,
  [ErrorReason.ALREADY_FINISHED]: Code.FailedPrecondition,
  [ErrorReason.WEBHOOK_URL_DISABLED]: Code.FailedPrecondition,
  [ErrorReason.TOO_MANY_PENDING]: Code.ResourceExhausted,
  [ErrorReason.FILE_NOT_FOUND]: Code.NotFound,
  [ErrorReason.FILE_IN_USE]: Code.FailedPrecondition,
  [ErrorReason.TOO_MANY_FILES]: Code.ResourceExhausted,
  [ErrorReason.UNAVAILABLE]: Code.Unavailable,
};

/** The error of a refused call. The reason of the first fault decides its RPC code. */
export function refusal(first: FaultInit, ...more: FaultInit[]): ConnectError {
  const faults = [first, ...more].map((fault) => create(FaultSchema, fault));
  const code = CODE_OF[first.reason] ?? Code.InvalidArgument;
  return new ConnectError(first.message, code, undefined, [
    { desc: ErrorInfoSchema, value: { faults } },
  ]);
}

/** The faults that an RPC error carries; empty when it was not made by `refusal`. */
export function faultsOf(error: unknown): Fault[] {
  if (!(error instanceof ConnectError)) return [];
  return error.findDetails(ErrorInfoSchema).flatMap((info) => info.faults);
}

/** The reason of the first fault, or undefined when the error was not made by `refusal`. */
export function reasonOf(error: unknown): ErrorReason | undefined {
  return faultsOf(error)[0]?.reason;
}
