/** Logs one line per request: route, status and duration; never its content. Health probes at debug level. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Log } from "#runtime/log.ts";

const PROBES = new Set(["/healthz", "/readyz"]);

export function requestLog(
  log: Log,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async (request, reply) => {
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
