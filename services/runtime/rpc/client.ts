/** Typed clients of the services: over HTTP/2 between processes, in memory within one. */
import type { Interceptor, Transport } from "@connectrpc/connect";
import { createConnectTransport, Http2SessionManager } from "@connectrpc/connect-node";

/** Makes a transport to one service, with the caller's interceptors on it. */
export type Connect = (interceptors: Interceptor[]) => Transport;

/** Puts the caller's token on every call. */
export function tokenInterceptor(token: () => Promise<string>): Interceptor {
  return (next) => async (request) => {
    request.header.set("authorization", `Bearer ${await token()}`);
    return next(request);
  };
}

/** Several outputs may be on their way at once; with the default of 10 MB Node ends such calls. */
const SESSION_MEMORY_MB = 1_000;

/** To a service that runs elsewhere. Disposal closes the connections. */
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

/** To a service of this process that may be started later: services call each other in a circle. */
export function overMemory(target: () => { memoryTransport: Connect }): Connect {
  return (interceptors) => {
    let transport: Transport | undefined;
    const late = () => (transport ??= target().memoryTransport(interceptors));
    return {
      unary: (...call) => late().unary(...call),
      stream: (...call) => late().stream(...call),
    };
  };
}
