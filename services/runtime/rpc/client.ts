/** Typed clients of the services: over HTTP/2 between processes, in memory within one. */
import type { Interceptor, Transport } from "@connectrpc/connect";
import { createConnectTransport, Http2SessionManager } from "@connectrpc/connect-node";

/** Creates a transport to one service with the caller's interceptors. */
export type Connect = (interceptors: Interceptor[]) => Transport;

/** Adds the caller's token to every call. */
export function tokenInterceptor(token: () => Promise<string>): Interceptor {
  return (next) => async (request) => {
    request.header.set("authorization", `Bearer ${await token()}`);
    return next(request);
  };
}

/** Several outputs may be in transfer at once; Node ends such calls at its default of 10 MB. */
const SESSION_MEMORY_MB = 1_000;

/** Connects to a service in another process. Disposal closes the connections. */
export function overHttp(baseUrl: string): Disposable & { connect: Connect } {
  const sessionManager = new Http2SessionManager(baseUrl, undefined, {
    maxSessionMemory: SESSION_MEMORY_MB,
  });
  return {
    connect: (interceptors) =>
      createConnectTransport({
        baseUrl,
        httpVersion: "2",
        useBinaryFormat: true,
        interceptors,
        sessionManager,
      }),
    [Symbol.dispose]: () => sessionManager.abort(),
  };
}

/** Connects to a service of this process, resolved at the first call: services call each other in a circle. */
export function overMemory(target: () => { memoryTransport: Connect }): Connect {
  return (interceptors) => {
    let transport: Transport | undefined;
    const resolved = () => (transport ??= target().memoryTransport(interceptors));
    return {
      unary: (...call) => resolved().unary(...call),
      stream: (...call) => resolved().stream(...call),
    };
  };
}
