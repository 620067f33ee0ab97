/** Transports to the services: over HTTP/2 between processes, direct within one. */
import type { Interceptor, Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { withDeadlines } from "./deadlines.ts";
import { openReplicas } from "./replicas.ts";
import { retryInterceptor } from "./retry.ts";
import type { RpcTls } from "../tls.ts";

/** A transport to one service of this process, for the service of that name. */
export type Connect = (caller: string) => Transport;

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
): Disposable & { connect: (interceptors: Interceptor[]) => Transport } {
  const sessionManager = openReplicas(urls, tls);
  return {
    connect: (interceptors) =>
      withDeadlines(
        createConnectTransport({
          baseUrl: urls[0],
          httpVersion: "2",
          sessionManager,
          acceptCompression: [],
          interceptors: [...interceptors, retryInterceptor()],
        }),
      ),
    [Symbol.dispose]: () => sessionManager[Symbol.dispose](),
  };
}

/** Connects to a service of this process, resolved at the first call: services call each other in a circle. */
export function overMemory(target: () => { directTransport: Connect }): Connect {
  return (caller) => {
    let transport: Transport | undefined;
    const resolved = () => (transport ??= withDeadlines(target().directTransport(caller)));
    return {
      unary: (...call) => resolved().unary(...call),
      stream: (...call) => resolved().stream(...call),
    };
  };
}
