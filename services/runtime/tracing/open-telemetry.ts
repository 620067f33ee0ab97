/** Records spans with OpenTelemetry's SDK and sends them over OTLP (HTTP, protobuf), in the background and in batches. */
import {
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { systemClock, within } from "../clock.ts";
import { VERSION } from "../version.ts";
import { isRecorded, workContext } from "../work-context.ts";
import { NO_SPAN, UNRECORDED_SPAN, type Tracer, type TracingConfig } from "./tracer.ts";

const SEND_EVERY_MS = 1_000;
const SEND_TIMEOUT_MS = 5_000;
/** How long a stop waits for the last spans to be sent. */
const FLUSH_MS = 2_000;
const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

/** The choice of recorded traces is made here and not in the SDK, so that the others cost nearly nothing. */
export function openTelemetryTracer(
  service: string,
  { endpoint, sampledPart }: TracingConfig,
  random: () => number,
): Tracer {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, "")}/v1/traces`,
    timeoutMillis: SEND_TIMEOUT_MS,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": service, "service.version": VERSION }),
    sampler: new AlwaysOnSampler(),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: SEND_EVERY_MS })],
  });
  const tracer = provider.getTracer("media");
  return {
    begin(name, start) {
      const parent = start.parent ?? workContext().traceparent;
      if (parent === undefined) {
        if (!start.isRoot) return NO_SPAN;
        if (random() >= sampledPart) return UNRECORDED_SPAN;
      } else if (!isRecorded(parent)) return UNRECORDED_SPAN;
      const { kind, fields = {}, agoMs = 0 } = start;
      const options = {
        kind: KINDS[kind],
        attributes: fields,
        ...(agoMs > 0 ? { startTime: Date.now() - agoMs } : {}),
      };
      const span = tracer.startSpan(name, options, parentContext(parent));
      const { traceId, spanId, traceFlags } = span.spanContext();
      return {
        traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`,
        end(more = {}, error) {
          span.setAttributes(more);
          if (error !== undefined) {
            span.setAttributes({ "error.type": errorType(error) });
            span.setStatus({ code: SpanStatusCode.ERROR });
          }
          span.end();
        },
      };
    },
    [Symbol.asyncDispose]: async () => {
      const flushed = provider.shutdown().catch(() => undefined);
      await within(systemClock, FLUSH_MS, flushed);
    },
  };
}

function parentContext(traceparent: string | undefined): Context {
  const [, traceId = "", spanId = "", flags = "00"] = traceparent?.split("-") ?? [];
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}

/** The class of an error or its code; the message may quote what a client sent. */
function errorType(error: unknown): string {
  const { name = "Error", code } = (error ?? {}) as { name?: string; code?: unknown };
  return typeof code === "string" || typeof code === "number" ? `${name} ${code}` : name;
}
