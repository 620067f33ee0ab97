/** Metrics of RPCs: rate, errors and duration of those that a service answers and of those that it makes. */
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { Histogram, type Registry } from "prom-client";
import { DURATION_BUCKETS } from "./buckets.ts";
import { timed } from "./timed.ts";

export type RpcMetrics = {
  /** Counts calls that were let in: the gate refuses before any interceptor. */
  server: Interceptor;
  /** Counts calls to the service of that name; a repeated call counts once. */
  client: (service: string) => Interceptor;
};

const OK = "ok";

export function rpcMetrics(registry: Registry): RpcMetrics {
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
  return {
    server: timedCalls((rpc, code, seconds) => served.observe({ rpc, code }, seconds)),
    client: (service) =>
      timedCalls((rpc, code, seconds) => called.observe({ service, rpc, code }, seconds)),
  };
}

function timedCalls(observe: (rpc: string, code: string, seconds: number) => void): Interceptor {
  return (next) => async (request) => {
    // A stream lasts as long as somebody listens.
    if (request.stream) return next(request);
    return timed(
      () => next(request),
      (result, seconds) => observe(request.method.name, codeOf(result), seconds),
    );
  };
}

function codeOf(result: PromiseSettledResult<unknown>): string {
  return result.status === "fulfilled" ? OK : codeName(ConnectError.from(result.reason).code);
}

/** The name of a code as gRPC writes it, in lower case: `resource_exhausted`. */
function codeName(code: Code): string {
  return (Code[code] ?? "Unknown").replaceAll(/(?<=.)([A-Z])/g, "_$1").toLowerCase();
}
