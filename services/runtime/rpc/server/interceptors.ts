/** Server interceptors: validation and error mapping. */
import { createValidator, type Validator } from "@bufbuild/protovalidate";
import type { DescMethod, Message } from "@bufbuild/protobuf";
import { pathToString } from "@bufbuild/protobuf/reflect";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "../errors.ts";
import type { Log } from "../../log.ts";
import { isDatabaseUnavailable } from "../../postgres/unavailable.ts";
import { unstorableValues } from "../../text-rules.ts";

/** Shared by all services of a process, because compiling the rules at the first message costs 200 ms. */
let sharedValidator: Validator | undefined;

const patterns = new Map<string, RegExp>();

/**
 * The library's own engine takes 20 µs more for a create. It is for patterns that nobody knows; ours are those of the
 * protos, whose cost is tested.
 */
function regexMatch(pattern: string, text: string): boolean {
  let compiled = patterns.get(pattern);
  if (!compiled) patterns.set(pattern, (compiled = new RegExp(pattern, "u")));
  return compiled.test(text);
}

/**
 * Refuses messages that break the rules of the proto files or hold values that cannot be stored. The error names
 * each wrong field.
 */
export function validationInterceptor(): Interceptor {
  const validator = (sharedValidator ??= createValidator({ regexMatch }));
  return (next) => async (request) => {
    if (request.stream) return next(request);
    const [first, ...more] = faultsIn(validator, request.method, request.message as Message);
    if (!first) return next(request);
    throw refusal(first, ...more);
  };
}

function faultsIn(validator: Validator, { input }: DescMethod, message: Message) {
  const result = validator.validate(input, message);
  if (result.kind === "error") throw result.error;
  const broken = (result.kind === "valid" ? [] : result.violations).map(
    ({ field, message: text }) => ({
      field: pathToString(field),
      message: text,
    }),
  );
  const unstorable = unstorableValues(input, message).filter(({ field }) =>
    broken.every((fault) => fault.field !== field),
  );
  return [...broken, ...unstorable].map(({ field, message: text }) => ({
    reason: ErrorReason.INVALID_FIELD,
    field,
    message: `${field}: ${text}`,
  }));
}

/**
 * Logs a call that failed on our side and hides the cause from the caller: `unavailable` when Postgres cannot be used
 * now, so that the caller tries again, else `internal`.
 */
export function faultInterceptor(log: Log): Interceptor {
  return (next) => async (request) => {
    try {
      return await next(request);
    } catch (error) {
      if (
        error instanceof ConnectError &&
        error.code !== Code.Internal &&
        error.code !== Code.Unknown
      ) {
        throw error;
      }
      const fields = { err: error, rpc: request.method.name };
      if (isDatabaseUnavailable(error)) {
        log.warn(fields, "database unavailable, call failed");
        throw refusal({ reason: ErrorReason.UNAVAILABLE, message: "try again" });
      }
      log.error(fields, "call failed");
      throw new ConnectError("internal error", Code.Internal);
    }
  };
}
