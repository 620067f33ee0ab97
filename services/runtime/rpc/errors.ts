/** Errors of refused calls: a reason from the proto enum, carried as a detail of the Connect error. */
import { create, getOption, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  ErrorInfoSchema,
  ErrorReason,
  ErrorReasonSchema,
  FaultSchema,
  code,
  type Fault,
} from "#gen/proto/media/runtime/v1/errors_pb.ts";

type FaultInit = MessageInitShape<typeof FaultSchema> & { reason: ErrorReason; message: string };

/** By the number of the reason. */
const CODES = new Map<number, Code>(
  ErrorReasonSchema.values.map((one) => [one.number, getOption(one, code) || Code.Unknown]),
);

/** The error of a refused call. The reason of the first fault decides its RPC code. */
export function refusal(first: FaultInit, ...more: FaultInit[]): ConnectError {
  const faults = [first, ...more].map((fault) => create(FaultSchema, fault));
  return new ConnectError(first.message, CODES.get(first.reason), undefined, [
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
