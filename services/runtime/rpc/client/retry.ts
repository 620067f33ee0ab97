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
/** The header in which Connect tells the peer the deadline, as the time that is left. */
const TIMEOUT_HEADER = "Connect-Timeout-Ms";

/**
 * An idempotent call is made once more when its session is lost; by then another session takes it. A call that the peer
 * refused before handling it is made again whatever it does, until its deadline. The deadline is that of all calls
 * together, and the peer learns what is left of it.
 */
export function retryInterceptor(): Interceptor {
  return (next) => async (request) => {
    const { header, method, signal } = request;
    const startedAt = performance.now();
    const timeoutMs = header.get(TIMEOUT_HEADER);
    let mayRepeat = isIdempotent(method);
    for (let refusals = 0; ;) {
      try {
        return await next(request);
      } catch (error) {
        const fault = connectionFault(error, signal);
        const isRefused = fault.message.includes(REFUSED);
        if (request.stream || !(isRefused || mayRepeat)) throw fault;
        if (isRefused) {
          if (refusals > 0) await systemClock.sleep(pauseAfter(refusals), signal);
          refusals += 1;
        } else mayRepeat = false;
      }
      if (timeoutMs === null) continue;
      const leftMs = Number(timeoutMs) - (performance.now() - startedAt);
      header.set(TIMEOUT_HEADER, String(Math.max(1, Math.floor(leftMs))));
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
