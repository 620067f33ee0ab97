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
import { createServer as createTcp, type Socket } from "node:net";
import type { Registry } from "prom-client";
import {
  Health as HealthService,
  HealthCheckResponse_ServingStatus,
} from "#gen/proto/grpc/health/v1/health_pb.ts";
import { onAbort } from "../../abort.ts";
import { listenAt } from "../../listen.ts";
import type { Log } from "../../log.ts";
import { MAX_CONNECTIONS } from "../../load-limit.ts";
import type { IsReady } from "../../postgres/readiness.ts";
import { withCallerAddress } from "../context.ts";
import type { Gate } from "./access.ts";
import { directTransports, type Routes } from "./direct.ts";
import { createTlsServer, type RpcTls } from "../tls.ts";
import { closeKeptAlive, type Shutdown } from "../../shutdown.ts";
import type { Tracer } from "../../tracing/tracer.ts";

const { SERVING, NOT_SERVING } = HealthCheckResponse_ServingStatus;
const HTTP2_PREFACE = "PRI";
const METRICS_PATH = "/metrics";
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** A connection that sends nothing, or a session without a call, is closed after this time. */
const IDLE_MS = 60_000;

export type RpcServer = Awaited<ReturnType<typeof startRpcServer>>;

type Deps = {
  gate: Gate;
  interceptors: Interceptor[];
  isReady: IsReady;
  metrics: Registry;
  shutdown: Shutdown;
  /** For calls within the process; the interceptors have their own. */
  tracer?: Tracer;
  log: Log;
};

/** The one open service: anybody who reaches the port may call it, so it reads nothing large. */
const OPEN = { requestGate: () => {}, interceptors: [], readMaxBytes: 1_024 };

/**
 * Serves `routes`, and Prometheus metrics at /metrics. Disposal accepts no more calls and gives those in
 * flight until the deadline of `shutdown` to end. Compressed messages are refused: unpacking costs more than sending.
 */
export async function startRpcServer(
  { host, port: wantedPort, tls }: { host: string; port: number; tls: RpcTls | undefined },
  routes: Routes,
  { gate, interceptors, isReady, metrics, shutdown, tracer, log }: Deps,
) {
  const answerCall = connectNodeAdapter({
    routes(router) {
      // Without `Watch`: clients take UNIMPLEMENTED for a server that need not be watched.
      const check = async () => ({ status: (await isReady()) ? SERVING : NOT_SERVING });
      router.service(HealthService, { check }, OPEN);
      routes(router);
    },
    acceptCompression: [],
    shutdownSignal: shutdown.deadline,
    requestGate: gate,
    interceptors,
    contextValues: withCallerAddress,
    readMaxBytes: MAX_MESSAGE_BYTES,
  });
  const answer: typeof answerCall = (request, response) => {
    if (request.url !== METRICS_PATH) return answerCall(request, response);
    request.resume();
    response.setHeader("content-type", metrics.contentType);
    return void metrics.metrics().then(
      (text) => response.end(text),
      (error: unknown) => {
        log.error({ err: error }, "metrics cannot be collected");
        response.statusCode = 500;
        response.end();
      },
    );
  };
  const sockets = new Set<Socket>();
  /** Those with a call, and all that speak HTTP/2, which says itself when a connection ends. */
  const busy = new WeakSet<Socket>();
  const http1 = createHttp1(answer);
  closeKeptAlive(http1, shutdown);
  http1.on("request", ({ socket }, response) => {
    busy.add(socket);
    response.once("close", () => busy.delete(socket));
  });
  const http2 = createHttp2(withPlainGrpcMessages(answer));
  http2.setTimeout(IDLE_MS);
  http2.on("session", (session) => tcp.listening || session.close());
  const accept = (socket: Socket) => {
    const destroy = () => socket.destroy();
    if (!tcp.listening) return void destroy();
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket)).on("error", destroy);
    socket.setTimeout(IDLE_MS, destroy);
    socket.once("data", (first: Buffer) => {
      socket.setTimeout(0, destroy);
      socket.pause();
      // Its server reads it again.
      socket.unshift(first);
      const isHttp2 = first.subarray(0, HTTP2_PREFACE.length).toString() === HTTP2_PREFACE;
      if (isHttp2) busy.add(socket);
      (isHttp2 ? http2 : http1).emit("connection", socket);
      if (!isHttp2) socket.resume();
    });
  };
  const tcp = tls ? createTlsServer(tls).on("secureConnection", accept) : createTcp(accept);
  tcp.maxConnections = MAX_CONNECTIONS;
  const port = await listenAt(tcp, ["HOST", host], ["RPC_PORT", wantedPort]);
  // E.g. no file descriptor for another connection.
  tcp.on("error", (error) => log.error({ err: error }, "a connection could not be accepted"));
  return {
    url: `${tls ? "https" : "http"}://${host}:${port}`,
    /** The same handlers, for callers in this process. */
    directTransport: directTransports(routes, { tracer, log }),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => tcp.close(resolve));
      http2.close();
      for (const socket of sockets) if (!busy.has(socket)) socket.destroy();
      onAbort(shutdown.deadline, () => {
        for (const socket of sockets) socket.destroy();
      });
      await closed;
    },
  };
}

type Handler = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

const MESSAGE = "grpc-message";

/**
 * Writes the messages of gRPC errors as gRPC specifies it, with only the percent sign and what is not printable ASCII
 * escaped. Connect escapes all that a URL's part may not hold, which grpc-js does not undo: it would show "a%3A b".
 */
function withPlainGrpcMessages(handler: Handler): Handler {
  return (request, response) => {
    const addTrailers = response.addTrailers.bind(response);
    response.addTrailers = (trailers: OutgoingHttpHeaders) => {
      const message = trailers[MESSAGE];
      const isText = typeof message === "string";
      addTrailers(isText ? { ...trailers, [MESSAGE]: plain(message) } : trailers);
    };
    handler(request, response);
  };
}

function plain(escaped: string): string {
  return decodeURIComponent(escaped).replaceAll(/[^ -$&-~]+/g, encodeURIComponent);
}
