/** Errors of refused calls: a reason from the proto enum, carried as a detail of the Connect error. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  ErrorInfoSchema,
  ErrorReason,
  ErrorReasonSchema,
  FaultSchema,
  type Fault,
} from "#gen/proto/media/runtime/v1/errors_pb.ts";

type FaultInit = MessageInitShape<typeof FaultSchema> & { reason: ErrorReason; message: string };

const CODES: Readonly<Record<keyof typeof ErrorReason, Code>> = {
  UNSPECIFIED: Code.Unknown,
  INVALID_FIELD: Code.InvalidArgument,
  NOT_FOUND: Code.NotFound,
  CONTENT_DIFFERS: Code.AlreadyExists,
  INSUFFICIENT_TOKENS: Code.FailedPrecondition,
  HOLD_RESOLVED: Code.FailedPrecondition,
  UNAVAILABLE: Code.Unavailable,
  MODEL_NOT_FOUND: Code.NotFound,
  MODEL_KIND_MISMATCH: Code.InvalidArgument,
  MODEL_UNAVAILABLE: Code.FailedPrecondition,
  IMAGE_URL_REQUIRED: Code.InvalidArgument,
  IMAGE_URL_NOT_SUPPORTED: Code.InvalidArgument,
  IMAGE_URLS_NOT_SUPPORTED: Code.InvalidArgument,
  UNSUPPORTED_DURATION: Code.InvalidArgument,
  UNSUPPORTED_ASPECT_RATIO: Code.InvalidArgument,
  UNSUPPORTED_SIZE: Code.InvalidArgument,
  TOO_MANY_REFERENCES: Code.InvalidArgument,
  SOURCE_GONE: Code.FailedPrecondition,
  PRODUCTION_REQUIRED: Code.FailedPrecondition,
  NOT_CANCELABLE: Code.FailedPrecondition,
  ALREADY_FINISHED: Code.FailedPrecondition,
  TOO_MANY_PENDING: Code.ResourceExhausted,
  WEBHOOK_URL_DISABLED: Code.FailedPrecondition,
  NOT_FINISHED: Code.FailedPrecondition,
  GENERATION_DELETED: Code.NotFound,
  UNSUPPORTED_SIMULATION: Code.InvalidArgument,
  UNREADABLE_FILE: Code.InvalidArgument,
  FILE_NOT_FOUND: Code.NotFound,
  FILE_DELETED: Code.NotFound,
  FILE_IN_USE: Code.FailedPrecondition,
  TOO_MANY_FILES: Code.ResourceExhausted,
  TOKEN_LIMIT_REACHED: Code.ResourceExhausted,
  STORAGE_LIMIT_REACHED: Code.ResourceExhausted,
  UNSUPPORTED_PARAMETER: Code.InvalidArgument,
};

/** The error of a refused call. The reason of the first fault decides its RPC code. */
export function refusal(first: FaultInit, ...more: FaultInit[]): ConnectError {
  const faults = [first, ...more].map((fault) => create(FaultSchema, fault));
  const name = ErrorReasonSchema.value[first.reason]?.localName as keyof typeof CODES;
  return new ConnectError(first.message, CODES[name], undefined, [
    { desc: ErrorInfoSchema, value: { faults } },
  ]);
}

/** The refusal of a value that the client can correct. */
export function invalidField(field: string, message: string): ConnectError {
  return refusal({ reason: ErrorReason.INVALID_FIELD, field, message });
}

export function notFound(field: string, message: string): ConnectError {
  return refusal({ reason: ErrorReason.NOT_FOUND, field, message });
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
