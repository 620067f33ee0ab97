/** The RPC port: Connect, gRPC and gRPC-Web over HTTP/1.1 and HTTP/2, drained when closed. */
import type { Interceptor } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { createServer as createHttp1 } from "node:http";
import {
  createServer as createHttp2,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type OutgoingHttpHeaders,
} from "node:http2";
import { createServer as createTcp, type AddressInfo, type Socket } from "node:net";
import type { Registry } from "prom-client";
import {
  Health as HealthService,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from "#gen/proto/grpc/health/v1/health_pb.ts";
import { onAbort } from "../../abort.ts";
import type { Log } from "../../log.ts";
import { MAX_CONNECTIONS } from "../../max-connections.ts";
import type { IsReady } from "../../postgres/readiness.ts";
import { withCallerAddress } from "../context.ts";
import type { Gate } from "./access.ts";
import { directTransports, type Routes } from "./direct.ts";
import { createTlsServer, type RpcTls } from "../tls.ts";
import { closeKeptAlive, type Shutdown } from "../../shutdown.ts";
import type { Tracer } from "../../tracing/tracer.ts";

const HTTP2_PREFACE = "PRI";
const METRICS_PATH = "/metrics";
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** The one open service takes nothing larger: anybody who reaches the port may call it. */
const MAX_HEALTH_BYTES = 1_024;
/** A connection that sends nothing, or a session without a call, is closed after this time. */
const IDLE_MS = 60_000;

export type RpcServer = Awaited<ReturnType<typeof startRpcServer>>;

export type RpcServerConfig = {
  host: string;
  port: number;
  /** Undefined: connections are not encrypted. */
  tls: RpcTls | undefined;
};

export type RpcServerDeps = {
  /** Refuses calls before their bodies are read. */
  gate: Gate;
  interceptors: Interceptor[];
  isReady: IsReady;
  metrics: Registry;
  shutdown: Shutdown;
  /** For calls within the process; the interceptors have their own. */
  tracer?: Tracer;
  log: Log;
};

/**
 * Serves `routes`, and Prometheus metrics at /metrics. Disposal accepts no more calls and gives those in
 * flight until the deadline of `shutdown` to end. Compressed messages are refused: unpacking costs more than sending.
 */
export async function startRpcServer(
  config: RpcServerConfig,
  routes: Routes,
  { gate, interceptors, isReady, metrics, shutdown, tracer, log }: RpcServerDeps,
) {
  const shared = { acceptCompression: [], shutdownSignal: shutdown.deadline };
  const answerHealth = connectNodeAdapter({
    ...shared,
    // Without `Watch`: clients take UNIMPLEMENTED for a server that need not be watched.
    routes: (router) =>
      void router.service(HealthService, {
        check: async () => ({
          status: (await isReady()) ? ServingStatus.SERVING : ServingStatus.NOT_SERVING,
        }),
      }),
    readMaxBytes: MAX_HEALTH_BYTES,
    fallback: connectNodeAdapter({
      ...shared,
      routes: (router) => void routes(router),
      requestGate: gate,
      interceptors,
      contextValues: withCallerAddress,
      readMaxBytes: MAX_MESSAGE_BYTES,
    }),
  });
  const answer: typeof answerHealth = (request, response) => {
    if (request.url !== METRICS_PATH) return answerHealth(request, response);
    request.resume();
    const show = (statusCode: number, text: string) => {
      response.statusCode = statusCode;
      response.setHeader("content-type", metrics.contentType);
      response.end(text);
    };
    return void metrics.metrics().then(
      (text) => show(200, text),
      (error: unknown) => {
        log.error({ err: error }, "metrics cannot be collected");
        show(500, "");
      },
    );
  };
  const http1 = createHttp1(answer);
  closeKeptAlive(http1, shutdown);
  const http2 = createHttp2(withPlainGrpcMessages(answer));
  http2.setTimeout(IDLE_MS);
  /** Whether each has no call: it has sent nothing yet, or speaks HTTP/1 and is between two requests. */
  const sockets = new Map<Socket, "idle" | "busy">();
  http1.on("request", ({ socket }, response) => {
    sockets.set(socket, "busy");
    response.once("close", () => {
      if (!tcp.listening) return socket.end();
      return socket.destroyed ? sockets.delete(socket) : sockets.set(socket, "idle");
    });
  });
  http2.on("session", (session) => tcp.listening || session.close());
  const accept = (socket: Socket) => {
    const destroy = () => socket.destroy();
    if (!tcp.listening) return void destroy();
    sockets.set(socket, "idle");
    socket.once("close", () => sockets.delete(socket)).on("error", destroy);
    socket.setTimeout(IDLE_MS, destroy);
    socket.once("data", (first: Buffer) => {
      socket.setTimeout(0, destroy);
      socket.pause();
      // Its server reads it again.
      socket.unshift(first);
      const isHttp2 = first.subarray(0, HTTP2_PREFACE.length).toString() === HTTP2_PREFACE;
      if (isHttp2) sockets.set(socket, "busy");
      (isHttp2 ? http2 : http1).emit("connection", socket);
      if (!isHttp2) socket.resume();
    });
  };
  const tcp = config.tls
    ? createTlsServer(config.tls).on("secureConnection", accept)
    : createTcp(accept);
  tcp.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    tcp.once("error", reject).listen(config.port, config.host, resolve);
  });
  const { port } = tcp.address() as AddressInfo;
  return {
    url: `${config.tls ? "https" : "http"}://${config.host}:${port}`,
    /** The same handlers, for callers in this process. */
    directTransport: directTransports(routes, { tracer, log }),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => tcp.close(resolve));
      http2.close();
      for (const [socket, state] of sockets) if (state === "idle") socket.destroy();
      onAbort(shutdown.deadline, () => {
        for (const socket of sockets.keys()) socket.destroy();
      });
      await closed;
    },
  };
}

type Handler = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

const MESSAGE = "grpc-message";

/**
 * Writes the messages of gRPC errors as gRPC specifies it. Connect escapes all that a URL's part may not hold, which
 * grpc-js does not undo: it would show "a%3A b". Only what is not printable ASCII, and the percent sign, has to be
 * escaped.
 */
function withPlainGrpcMessages(handler: Handler): Handler {
  return (request, response) => {
    const addTrailers = response.addTrailers.bind(response);
    response.addTrailers = (trailers: OutgoingHttpHeaders) => {
      const message = trailers[MESSAGE];
      const isEscaped = typeof message === "string" && message.includes("%");
      addTrailers(isEscaped ? { ...trailers, [MESSAGE]: plain(message) } : trailers);
    };
    handler(request, response);
  };
}

function plain(escaped: string): string {
  return decodeURIComponent(escaped).replaceAll(/[^ -$&-~]+/g, encodeURIComponent);
}
