/** The RPC port: Connect, gRPC and gRPC-Web over HTTP/1.1 and HTTP/2, drained when closed. */
import { createServer as createHttp1 } from "node:http";
import { createServer as createHttp2, type Http2Session } from "node:http2";
import { createServer as createTcp, type AddressInfo, type Socket } from "node:net";
import type { Interceptor, Transport } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import type { Registry } from "prom-client";
import { callerKey, type Gate } from "./access.ts";
import { withCallerAddress } from "../caller-address.ts";
import { withPlainGrpcMessages } from "./grpc-message.ts";
import { healthRoutes } from "./health.ts";
import { inProcessTransport } from "./in-process.ts";
import { unaryOverHttp, type HttpHandler, type HttpRequest } from "./unary-http.ts";
import { implementationsOf, type Routes } from "../unary/call.ts";
import { answerMetrics } from "../metrics.ts";
import { connectionKey, connectionOf, createStrangers } from "./strangers.ts";
import type { Clock } from "../../clock.ts";
import type { Log } from "../../log.ts";
import { maxConnections } from "../../max-connections.ts";
import type { IsReady } from "../../postgres/readiness.ts";
import { onAbort } from "../../abort.ts";
import { createTlsServer, isTlsHandshake, type RpcTls } from "../tls.ts";
import { closeKeptAlive, type Shutdown } from "../../shutdown.ts";

const HTTP2_PREFACE = "PRI";
const METRICS_PATH = "/metrics";
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

export type RpcServer = AsyncDisposable & {
  readonly url: string;
  /** The same routes, gate and interceptors, called in memory. */
  memoryTransport: (clientInterceptors: Interceptor[]) => Transport;
};

export type RpcServerConfig = {
  host: string;
  port: number;
  /** Undefined: connections are not encrypted. */
  tls: RpcTls | undefined;
  /** For each connection beyond, one without an authenticated call is closed; half of the process's files by default. */
  maxConnections?: number | undefined;
};

export type RpcServerDeps = {
  /** Refuses calls before their bodies are read. */
  gate: Gate;
  interceptors: Interceptor[];
  isReady: IsReady;
  metrics: Registry;
  shutdown: Shutdown;
  clock: Clock;
  log: Log;
};

/**
 * Serves `routes`, and Prometheus metrics at /metrics. Disposal accepts no more calls and gives those in
 * flight until the deadline of `shutdown` to end.
 */
export async function startRpcServer(
  config: RpcServerConfig,
  routes: Routes,
  { gate, interceptors, isReady, metrics, shutdown, clock, log }: RpcServerDeps,
): Promise<RpcServer> {
  const strangers = createStrangers({ clock, log });
  const all: Routes = (router) => {
    healthRoutes(router, isReady);
    routes(router);
  };
  const connectionGate: Gate = async (call) => {
    await gate(call);
    const connection = call.values.get(connectionKey);
    if (connection && call.values.get(callerKey) !== "") strangers.forget(connection);
  };
  const serverSide = {
    interceptors,
    contextValues: (request: HttpRequest) =>
      withCallerAddress(request).set(connectionKey, connectionOf(request)),
    readMaxBytes: MAX_MESSAGE_BYTES,
  };
  const implementations = implementationsOf(all);
  const answerPlain = unaryOverHttp(implementations, { ...serverSide, gate: connectionGate });
  const answerOther = connectNodeAdapter({
    ...serverSide,
    routes: all,
    requestGate: connectionGate,
    shutdownSignal: shutdown.deadline,
  });
  const answer: HttpHandler = (request, response) => {
    if (request.url === METRICS_PATH) void answerMetrics({ metrics, log }, request, response);
    else if (!answerPlain(request, response)) answerOther(request, response);
  };
  const http1 = createHttp1(answer);
  closeKeptAlive(http1, shutdown);
  const http2 = createHttp2(withPlainGrpcMessages(answer));
  const sockets = new Set<Socket>();
  /** Sockets without a call: they have sent nothing yet, or speak HTTP/1 and are between two requests. */
  const idle = new Set<Socket>();
  http1.on("request", ({ socket }, response) => {
    idle.delete(socket);
    strangers.renew(socket);
    response.once("close", () => {
      if (!tcp.listening) return socket.end();
      if (socket.destroyed) return undefined;
      strangers.meet(socket);
      return idle.add(socket);
    });
  });
  const sessions = new Set<Http2Session>();
  http2.on("session", (session) => {
    if (!tcp.listening) return session.close();
    sessions.add(session);
    strangers.meet(session);
    return session.once("close", () => {
      sessions.delete(session);
      strangers.forget(session);
    });
  });
  http2.on("request", ({ stream }) => stream.session && strangers.renew(stream.session));
  /** It has a call, or somebody else looks after it. */
  const leave = (socket: Socket) => {
    idle.delete(socket);
    strangers.forget(socket);
  };
  /** Calls `take` with the first bytes of the socket, which are then read again. */
  const accept = (socket: Socket, take: (first: Buffer) => void) => {
    sockets.add(socket);
    idle.add(socket);
    strangers.meet(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      leave(socket);
    });
    socket.on("error", () => socket.destroy());
    socket.once("data", (first: Buffer) => {
      socket.pause();
      socket.unshift(first);
      take(first);
    });
  };
  const serve = (socket: Socket, first: Buffer) => {
    const isHttp2 = first.subarray(0, HTTP2_PREFACE.length).toString() === HTTP2_PREFACE;
    if (isHttp2) leave(socket);
    (isHttp2 ? http2 : http1).emit("connection", socket);
    if (!isHttp2) socket.resume();
  };
  const tls = config.tls && createTlsServer(config.tls);
  tls?.on("secureConnection", (socket) => accept(socket, (first) => serve(socket, first)));
  const max = config.maxConnections ?? maxConnections();
  let open = 0;
  const tcp = createTcp((socket) => {
    open += 1;
    socket.once("close", () => (open -= 1));
    accept(socket, (first) => {
      if (!tls || (config.tls?.takesPlain && !isTlsHandshake(first))) serve(socket, first);
      else {
        leave(socket);
        tls.emit("connection", socket);
      }
    });
    if (open > max) strangers.closeOldest();
  });
  await new Promise<void>((resolve, reject) => {
    tcp.once("error", reject).listen(config.port, config.host, resolve);
  });
  const { port } = tcp.address() as AddressInfo;
  return {
    url: `${tls ? "https" : "http"}://${config.host}:${port}`,
    memoryTransport: (clientInterceptors) =>
      inProcessTransport(implementations, { gate, interceptors }, clientInterceptors),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => tcp.close(resolve));
      for (const session of sessions) session.close();
      for (const socket of idle) socket.destroy();
      onAbort(shutdown.deadline, () => {
        for (const socket of sockets) socket.destroy();
      });
      await closed;
      await strangers[Symbol.asyncDispose]();
    },
  };
}
