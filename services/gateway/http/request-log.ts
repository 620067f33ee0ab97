/** Logs one line per request: route, status and duration; never its content. Health probes at debug level. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Log } from "#runtime/log.ts";

const PROBES = new Set(["/healthz", "/readyz"]);
const READS = new Set(["GET", "HEAD"]);

/** Of successful reads one in `readsPerLine` is logged: they change nothing, and there are many. */
export function requestLog(
  log: Log,
  readsPerLine: number,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  let reads = 0;
  return async (request, reply) => {
    const isQuietRead = READS.has(request.method) && reply.statusCode < 400;
    if (isQuietRead && reads++ % readsPerLine !== 0) return;
    const route = request.routeOptions.url;
    const line = {
      method: request.method,
      route,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      request_id: request.id,
      account_id: request.caller?.accountId,
      key_id: request.caller?.keyId,
      generation_id: request.generationId,
    };
    log[route !== undefined && PROBES.has(route) ? "debug" : "info"](line, "request");
  };
}
