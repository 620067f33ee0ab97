/** Transports to the services: over HTTP/2 between processes, in memory within one. Every call has a deadline. */
import type { DescMethod } from "@bufbuild/protobuf";
import type { Interceptor, Transport } from "@connectrpc/connect";
import { retryInterceptor } from "./retry.ts";
import { sessionPool } from "./session-pool.ts";
import { unaryOverHttp2 } from "./unary-http.ts";
import type { RpcTls } from "../tls.ts";
import { timeout_ms as timeoutOption } from "#gen/proto/media/runtime/v1/calls_pb.ts";
import { methodOption } from "../method-option.ts";

/** Creates a transport to one service with the caller's interceptors. */
export type Connect = (interceptors: Interceptor[]) => Transport;

/** Adds the caller's token to every call. */
export function tokenInterceptor(token: () => Promise<string>): Interceptor {
  return (next) => async (request) => {
    request.header.set("authorization", `Bearer ${await token()}`);
    return next(request);
  };
}

/**
 * Connects to all replicas of a service in other processes, behind one URL or several. Faults of the connection are
 * `unavailable`. `tls` is for URLs that begin with https. Disposal closes the connections.
 */
export function overHttp(
  urls: readonly [string, ...string[]],
  tls?: RpcTls,
): Disposable & { connect: Connect } {
  const pool = sessionPool(urls, tls);
  return {
    connect: (interceptors) =>
      withDeadlines(unaryOverHttp2(pool, [...interceptors, retryInterceptor()])),
    [Symbol.dispose]: () => pool.destroy(),
  };
}

/** Connects to a service of this process, resolved at the first call: services call each other in a circle. */
export function overMemory(target: () => { memoryTransport: Connect }): Connect {
  return (interceptors) => {
    let transport: Transport | undefined;
    const resolved = () => (transport ??= withDeadlines(target().memoryTransport(interceptors)));
    return {
      unary: (...call) => resolved().unary(...call),
      stream: (...call) => resolved().stream(...call),
    };
  };
}

const DEFAULT_TIMEOUT_MS = 5_000;

/** 0: the proto states none. */
const statedTimeoutMs = methodOption(timeoutOption);

/**
 * Gives every call a deadline: the caller's, else `usualMs`, else the one that the proto states. Streams have none: they last
 * until one side ends them, or their session is lost.
 */
export function withDeadlines(transport: Transport, usualMs?: number): Transport {
  const usualOf = (method: DescMethod) =>
    usualMs ?? (statedTimeoutMs(method) || DEFAULT_TIMEOUT_MS);
  return {
    unary: (method, signal, timeoutMs = usualOf(method), ...rest) =>
      transport.unary(method, signal, timeoutMs, ...rest),
    stream: (...call) => transport.stream(...call),
  };
}
