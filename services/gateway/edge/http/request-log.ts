/** Logs and counts each request. */
import type { FastifyRequest, FastifyReply } from "fastify";
import type { Log } from "#runtime/log.ts";
import type { GatewayMetrics } from "./metrics.ts";

const PROBES: ReadonlySet<string | undefined> = new Set(["/healthz", "/readyz"]);

/** Health probes: they are asked all the time, and say the same, so that they are no traces and hardly logged. */
export function isProbe({ routeOptions }: FastifyRequest): boolean {
  return PROBES.has(routeOptions.url);
}

const READS = new Set(["GET", "HEAD"]);

/** Logs one in `readsPerLine` successful reads, because they change nothing and are many, and every other request. */
export function requestLog(
  log: Log,
  readsPerLine: number,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  let reads = 0;
  return async (request, reply) => {
    const isQuietRead = READS.has(request.method) && reply.statusCode < 400;
    if (isQuietRead && reads++ % readsPerLine !== 0) return;
    const line = {
      method: request.method,
      route: request.routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      request_id: request.id,
      account_id: request.caller?.accountId,
      key_id: request.caller?.keyId,
      generation_id: request.generationId,
    };
    log[isProbe(request) ? "debug" : "info"](line, "request");
  };
}

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
