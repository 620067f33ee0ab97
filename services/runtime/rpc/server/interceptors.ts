/** What stands around the handler of every RPC: its load limit, validation and error mapping. */
import { createValidator, type Validator } from "@bufbuild/protovalidate";
import type { DescMethod, Message } from "@bufbuild/protobuf";
import { pathToString } from "@bufbuild/protobuf/reflect";
import { Code, ConnectError, createContextKey, type Interceptor } from "@connectrpc/connect";
import { load_limited as limitedOption } from "#gen/proto/media/runtime/v1/calls_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import type { LoadLimits, Turn } from "../../load-limit.ts";
import type { Log } from "../../log.ts";
import { isDatabaseUnavailable } from "../../postgres/limits.ts";
import { unstorableValues } from "../../text-rules.ts";
import { refusal } from "../errors.ts";
import { methodOption } from "../context.ts";

/** The turn of a call that is limited; a handler pauses it while it only waits for others. */
export const turnKey = createContextKey<Turn | undefined>(undefined);

const isLimited = methodOption(limitedOption);

/**
 * Refuses a call beyond what this process can answer soon, before anything else is done for it: an RPC whose `load_limited`
 * option says so has a limit of its own, and a refused call is `unavailable`. Then validates the message, and hides the
 * causes of faults. Streams are neither limited nor validated.
 */
export function serverInterceptor({ limits, log }: { limits: LoadLimits; log: Log }): Interceptor {
  return (next) => async (request) => {
    const { method } = request;
    let turn: Turn | undefined;
    try {
      if (request.stream) return await next(request);
      if (isLimited(method)) {
        turn = await limits(method.name).take();
        if (!turn) {
          throw refusal({ reason: ErrorReason.UNAVAILABLE, message: "too many calls; try again" });
        }
        request.contextValues.set(turnKey, turn);
      }
      checkMessage(method, request.message as Message);
      return await next(request);
    } catch (error) {
      throw shownFault(error, method, log);
    } finally {
      turn?.end();
    }
  };
}

/** Shared by all services of a process, because compiling the rules at the first message costs 200 ms. */
let sharedValidator: Validator | undefined;

const patterns = new Map<string, RegExp>();

/** The library's own engine costs 20 µs more a create. Our patterns are known, and their cost is tested. */
function regexMatch(pattern: string, text: string): boolean {
  let compiled = patterns.get(pattern);
  if (!compiled) patterns.set(pattern, (compiled = new RegExp(pattern, "u")));
  return compiled.test(text);
}

/** Refuses what the proto's rules forbid or Postgres cannot store, and names each wrong field. */
export function checkMessage({ input }: DescMethod, message: Message): void {
  const validator = (sharedValidator ??= createValidator({ regexMatch }));
  const result = validator.validate(input, message);
  if (result.kind === "error") throw result.error;
  const broken = (result.violations ?? []).map(({ field, message: text }) => ({
    field: pathToString(field),
    message: text,
  }));
  const unstorable = unstorableValues(input, message).filter(({ field }) =>
    broken.every((fault) => fault.field !== field),
  );
  const [first, ...more] = [...broken, ...unstorable].map(({ field, message: text }) => ({
    reason: ErrorReason.INVALID_FIELD,
    field,
    message: `${field}: ${text}`,
  }));
  if (first) throw refusal(first, ...more);
}

/**
 * What a caller learns of an error, never its cause. A fault on our side is logged: `unavailable` when Postgres cannot
 * be used now, so that the caller tries again, else `internal`.
 */
export function shownFault(error: unknown, { name }: DescMethod, log: Log): ConnectError {
  if (error instanceof ConnectError && ![Code.Internal, Code.Unknown].includes(error.code)) {
    const { rawMessage, code, details } = error;
    return Object.assign(new ConnectError(rawMessage, code), { details });
  }
  const fields = { err: error, rpc: name };
  if (isDatabaseUnavailable(error)) {
    log.warn(fields, "database unavailable, call failed");
    return refusal({ reason: ErrorReason.UNAVAILABLE, message: "try again" });
  }
  log.error(fields, "call failed");
  return new ConnectError("internal error", Code.Internal);
}
