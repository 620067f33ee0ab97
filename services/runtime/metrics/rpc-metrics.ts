/** Metrics and spans of RPCs: rate, errors and duration of those that a service answers and of those that it makes. */
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { Histogram, type Registry } from "prom-client";
import { inSpan, NO_TRACER, type SpanStart, type Tracer } from "../tracing/tracer.ts";
import { DURATION_BUCKETS } from "./buckets.ts";

export type RpcMetrics = {
  /**
   * Counts calls that were let in: the gate refuses before any interceptor. It follows the one that receives the context;
   * a call without a trace begins one.
   */
  server: Interceptor;
  /** Counts calls to the service of that name; a repeated call counts once. Stands before the one that sends the context. */
  client: (service: string) => Interceptor;
};

type Observe = (rpc: string, code: string, seconds: number) => void;

const OK = "ok";

export function rpcMetrics(registry: Registry, tracer: Tracer = NO_TRACER): RpcMetrics {
  const shared = { buckets: DURATION_BUCKETS, registers: [registry] };
  const served = new Histogram({
    name: "media_rpc_server_duration_seconds",
    help: "How long RPCs took that this service answered, by RPC and code",
    labelNames: ["rpc", "code"] as const,
    ...shared,
  });
  const called = new Histogram({
    name: "media_rpc_client_duration_seconds",
    help: "How long RPCs took that this service made, by called service, RPC and code",
    labelNames: ["service", "rpc", "code"] as const,
    ...shared,
  });
  const observed =
    (start: SpanStart, observe: Observe): Interceptor =>
    (next) =>
    async (request) => {
      // A stream lasts as long as somebody listens.
      if (request.stream) return next(request);
      const { name } = request.method;
      const startedMs = performance.now();
      const end = (code: string) => observe(name, code, (performance.now() - startedMs) / 1_000);
      const span = { ...start, fields: { "rpc.method": name } };
      try {
        const response =
          tracer === NO_TRACER
            ? await next(request)
            : await inSpan(tracer, `rpc ${name}`, span, async () => next(request));
        end(OK);
        return response;
      } catch (error) {
        end(codeName(ConnectError.from(error).code));
        throw error;
      }
    };
  return {
    server: observed({ kind: "server", isRoot: true }, (rpc, code, seconds) =>
      served.observe({ rpc, code }, seconds),
    ),
    client: (service) =>
      observed({ kind: "client" }, (rpc, code, seconds) =>
        called.observe({ service, rpc, code }, seconds),
      ),
  };
}

/** The name of a code as gRPC writes it, in lower case: `resource_exhausted`. */
function codeName(code: Code): string {
  return (Code[code] ?? "Unknown").replaceAll(/(?<=.)([A-Z])/g, "_$1").toLowerCase();
}
