/** Transports to the services: over HTTP/2 between processes, direct within one. */
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import {
  Code,
  ConnectError,
  type Interceptor,
  type Transport,
  type UnaryRequest,
} from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { timeout_ms as timeoutOption } from "#gen/proto/media/runtime/v1/calls_pb.ts";
import { systemClock } from "../../clock.ts";
import { methodOption } from "../context.ts";
import { openReplicas } from "./replicas.ts";
import type { RpcTls } from "../tls.ts";

/** A transport to one service of this process, for the service of that name. */
export type Connect = (caller: string) => Transport;

const DEFAULT_TIMEOUT_MS = 5_000;

/** The time that the proto states for an RPC; 0: none. */
const statedTimeoutMs = methodOption(timeoutOption);

/** Gives each call a deadline: the caller's, else the proto's. Streams last until one side or their session ends. */
function withDeadlines(transport: Transport): Transport {
  return {
    unary: (method, signal, timeoutMs = statedTimeoutMs(method) || DEFAULT_TIMEOUT_MS, ...rest) =>
      transport.unary(method, signal, timeoutMs, ...rest),
    stream: (...call) => transport.stream(...call),
  };
}

/** Faults of the connection are `unavailable`. `tls` is for https URLs. Disposal closes the connections. */
export function overHttp(
  urls: readonly [string, ...string[]],
  interceptors: Interceptor[],
  tls?: RpcTls,
): Transport & Disposable {
  const sessionManager = openReplicas(urls, tls);
  const transport = createConnectTransport({
    baseUrl: urls[0],
    httpVersion: "2",
    sessionManager,
    acceptCompression: [],
    interceptors: [...interceptors, retryInterceptor],
  });
  return { ...withDeadlines(transport), [Symbol.dispose]: () => sessionManager[Symbol.dispose]() };
}

/** Connects to a service of this process, resolved at the first call: services call each other in a circle. */
export function overMemory(target: () => { directTransport: Connect }): Connect {
  return (caller) => {
    let transport: Transport | undefined;
    const direct = () => (transport ??= target().directTransport(caller));
    return withDeadlines({
      unary: (...call) => direct().unary(...call),
      stream: (...call) => direct().stream(...call),
    });
  };
}

/** What an error says of a stream that the peer has certainly not begun to handle. */
const REFUSED = "REFUSED_STREAM";
/** The wait before a call that was refused is made again. */
const PAUSE_MS = 50;
/** How long the first try of an idempotent call may take whose RPC states no time: the rest is for another replica. */
const ATTEMPT_MS = 3_000;

/**
 * An idempotent call that got no answer is made once more; by then another replica comes first. A call that the peer refused
 * before handling it is made again whatever it does, until its deadline, which is that of all tries together.
 */
const retryInterceptor: Interceptor = (next) => async (request) => {
  if (request.stream) return next(request);
  // Whether a repeated call has the same effect as one: `idempotency_level` in the proto.
  let mayRepeat = request.method.idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN;
  for (;;) {
    const attempt = mayRepeat ? limited(request) : request;
    try {
      return await next(attempt);
    } catch (error) {
      const fault = connectionFault(error, request.signal, attempt.signal);
      if (fault.message.includes(REFUSED)) await systemClock.sleep(PAUSE_MS, request.signal);
      else if (mayRepeat) mayRepeat = false;
      else throw fault;
    }
  }
};

function limited(request: UnaryRequest): UnaryRequest {
  if (statedTimeoutMs(request.method)) return request;
  return { ...request, signal: AbortSignal.any([request.signal, AbortSignal.timeout(ATTEMPT_MS)]) };
}

/** `error` as `unavailable`. Throws it unchanged if the peer sent it, or if caller or deadline ended the call. */
function connectionFault(error: unknown, caller: AbortSignal, attempt: AbortSignal): ConnectError {
  const fault = ConnectError.from(error);
  if (fault.isWireError || caller.aborted) throw fault;
  const text = attempt.aborted ? `no answer within ${ATTEMPT_MS} ms` : fault.rawMessage;
  return new ConnectError(text, Code.Unavailable, undefined, undefined, error);
}
