/** Faults of the connection to a peer: they become `unavailable`, and idempotent calls are made once more. */
import { Code, ConnectError } from "@connectrpc/connect";
import type { Interceptor } from "@connectrpc/connect";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { DescMethod } from "@bufbuild/protobuf";

/** What Node says of a stream that the peer has certainly not begun to handle. */
const REFUSED = "REFUSED_STREAM";

/**
 * The second call goes to another session, because the first one's has ended. A call that the peer refused before
 * handling it is repeated whatever it does. The deadline is that of both calls together.
 */
export function retryInterceptor(): Interceptor {
  return (next) => async (request) => {
    try {
      return await next(request);
    } catch (error) {
      const fault = connectionFault(error, request.signal);
      const mayRepeat = isIdempotent(request.method) || fault.message.includes(REFUSED);
      if (request.stream || !mayRepeat) throw fault;
    }
    try {
      return await next(request);
    } catch (error) {
      throw connectionFault(error, request.signal);
    }
  };
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
