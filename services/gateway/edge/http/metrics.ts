/** The gateway's own metrics: what clients ask for and get. */
import { Counter, Histogram, type Registry } from "prom-client";
import { DURATION_BUCKETS } from "#runtime/metrics/buckets.ts";

export type GatewayMetrics = ReturnType<typeof createMetrics>;

export function createMetrics(registry: Registry) {
  const registers = [registry];
  return {
    requests: new Histogram({
      name: "media_http_request_duration_seconds",
      help: "How long requests took, by operation (or route) and status; with Prefer: wait they take as long as asked",
      labelNames: ["operation", "status"] as const,
      buckets: DURATION_BUCKETS,
      registers,
    }),
    rateLimited: new Counter({
      name: "media_rate_limited_requests_total",
      help: "Requests that were refused because their account was over its limit, by kind of limit",
      labelNames: ["kind"] as const,
      registers,
    }),
    requestLogDropped: new Counter({
      name: "media_request_log_dropped_total",
      help: "Requests that are missing in the request log, because Postgres was slow or away, or because their account sent more than its share of requests that change nothing",
      labelNames: ["cause"] as const,
      registers,
    }),
  };
}
