/** Spans of RPCs: one of the caller's, and under it one of the service's. */
import type { Interceptor } from "@connectrpc/connect";
import { inSpan, NO_TRACER, type SpanStart, type Tracer } from "../tracing/tracer.ts";

/** The interceptor of calls that are made; stands before the one that sends the context. */
export function clientSpans(tracer: Tracer): Interceptor {
  return spans(tracer, { kind: "client" });
}

/** The interceptor of calls that are answered; it follows the one that receives the context. A call without a trace begins one. */
export function serverSpans(tracer: Tracer): Interceptor {
  return spans(tracer, { kind: "server", isRoot: true });
}

function spans(tracer: Tracer, start: SpanStart): Interceptor {
  if (tracer === NO_TRACER) return (next) => next;
  return (next) => (request) => {
    // A stream lasts as long as somebody listens.
    if (request.stream) return next(request);
    const { name } = request.method;
    const fields = { "rpc.method": name };
    return inSpan(tracer, `rpc ${name}`, { ...start, fields }, async () => next(request));
  };
}
