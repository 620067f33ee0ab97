/** Counts each request with its operation, status and duration. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { GatewayMetrics } from "../metrics.ts";

/** Routes outside of the documents count by their pattern, so that there are few. */
export function countRequest({
  requests,
}: Pick<GatewayMetrics, "requests">): (
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<void> {
  return async ({ routeOptions }, { statusCode, elapsedTime }) => {
    const operation = routeOptions.config.operationId ?? routeOptions.url ?? "unknown";
    requests.observe({ operation, status: String(statusCode) }, elapsedTime / 1_000);
  };
}
