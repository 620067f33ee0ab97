/** Runs the handling of each request in its context, which RPCs, logs and events of it carry, and in a span of its own. */
import type { FastifyInstance, FastifyRequest, RawRequestDefaultExpression } from "fastify";
import { inContext } from "#runtime/work-context.ts";
import type { Tracer } from "#runtime/tracing/tracer.ts";
import { isProbe } from "./request-log.ts";
import type { NewId } from "#runtime/id.ts";

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

const CLIENT_ID = /^[A-Za-z0-9_-]{8,64}$/;

/** The client's Request-Id when it is well-formed, otherwise a new id. */
export function requestId(newId: NewId): (request: RawRequestDefaultExpression) => string {
  return ({ headers }) => {
    const clientId = headers["request-id"];
    return typeof clientId === "string" && CLIENT_ID.test(clientId) ? clientId : newId("req");
  };
}
