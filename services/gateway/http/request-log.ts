/** Logs one line per request: route, status and duration; never its content. Health probes at debug level. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Log } from "#runtime/log.ts";
import { isProbe } from "./probes.ts";

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
