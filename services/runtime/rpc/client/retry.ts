/** Faults of the connection to a peer: they become `unavailable`, and calls that may be made again are. */
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { DescMethod } from "@bufbuild/protobuf";
import { systemClock } from "../../clock.ts";

/** What Node says of a stream that the peer has certainly not begun to handle. */
const REFUSED = "REFUSED_STREAM";
/** The wait before a call that was refused more than once is made again; doubled by every refusal. */
const PAUSE_MS = 10;
const MAX_PAUSE_MS = 250;

/**
 * An idempotent call is made once more when its session is lost; by then another session takes it. A call that the peer
 * refused before handling it is made again whatever it does, until its deadline, which is that of all calls together.
 */
export function retryInterceptor(): Interceptor {
  return (next) => async (request) => {
    let mayRepeat = isIdempotent(request.method);
    for (let refusals = 0; ;) {
      try {
        return await next(request);
      } catch (error) {
        const fault = connectionFault(error, request.signal);
        const isRefused = fault.message.includes(REFUSED);
        if (request.stream || !(isRefused || mayRepeat)) throw fault;
        if (isRefused) {
          if (refusals > 0) await systemClock.sleep(pauseAfter(refusals), request.signal);
          refusals += 1;
        } else mayRepeat = false;
      }
    }
  };
}

function pauseAfter(refusals: number): number {
  return Math.min(PAUSE_MS * 2 ** refusals, MAX_PAUSE_MS);
}

/** Whether a repeated call of this RPC has the same effect as one: `idempotency_level` in the proto. */
function isIdempotent({ idempotency }: DescMethod): boolean {
  return idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN;
}

/** `error` as `unavailable`. Throws it unchanged if the peer sent it, or if the caller or the deadline ended the call. */
function connectionFault(error: unknown, signal: AbortSignal): ConnectError {
  const fault = ConnectError.from(error);
  if (fault.isWireError || signal.aborted) throw fault;
  return new ConnectError(fault.rawMessage, Code.Unavailable, undefined, undefined, error);
}
