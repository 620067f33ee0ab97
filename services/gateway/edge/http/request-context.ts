/** Runs the handling of each request in its context, which RPCs, logs and events of it carry, and in a span of its own. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { inContext } from "#runtime/work-context.ts";
import type { Tracer } from "#runtime/tracing/tracer.ts";
import { isProbe } from "./request-log.ts";

/** Call it before other hooks are added. A client's own traceparent is not taken: it could have all it does recorded. */
export function keepContext(app: FastifyInstance, tracer: Tracer): void {
  app.decorateRequest("span", undefined);
  const contextOf = ({ id: requestId, span }: FastifyRequest) => ({
    requestId,
    traceparent: span?.traceparent,
  });
  app.addHook("onRequest", (request, _reply, next) => {
    const { url: route, config } = request.routeOptions;
    if (!isProbe(request)) {
      request.span = tracer.begin(`${request.method} ${route ?? "unknown"}`, {
        kind: "server",
        isRoot: true,
        fields: {
          "http.request.method": request.method,
          "http.route": route,
          "media.operation": config.operationId,
          "media.request_id": request.id,
        },
      });
    }
    inContext(contextOf(request), next);
  });
  // The body arrives by events of the connection, which have no context.
  app.addHook("preValidation", (request, _reply, next) => inContext(contextOf(request), next));
  app.addHook("onResponse", async ({ span, generationId }, { statusCode }) => {
    span?.end({ "http.response.status_code": statusCode, "media.generation_id": generationId });
  });
}
