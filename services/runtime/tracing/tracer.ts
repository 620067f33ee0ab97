/** Traces: their settings, which spans there are and what they may say. Without an endpoint nothing is recorded or loaded. */
import type { EnvReader } from "../env.ts";
import { inContext, UNRECORDED, workContext } from "../work-context.ts";

/** The roles of a span, by OpenTelemetry's names. */
export type SpanKind = "server" | "client" | "internal";

/**
 * What a span may say: names and figures of our own. Prompts, keys, and URLs with their secrets have no place here, and
 * neither have the messages of errors, which may quote them.
 */
export type SpanFields = {
  "http.request.method"?: string;
  "http.route"?: string | undefined;
  "http.response.status_code"?: number;
  "rpc.method"?: string;
  "db.operation.name"?: string;
  "error.type"?: string;
  "media.request_id"?: string;
  "media.generation_id"?: string | undefined;
  "media.operation"?: string | undefined;
  "media.step"?: string;
  "media.upstream"?: string;
  "media.outcome"?: string;
  "media.kind"?: string;
  "media.attempt"?: number;
};

export type SpanStart = {
  kind: SpanKind;
  fields?: SpanFields;
  /** The span above; else that of the context. */
  parent?: string | undefined;
  /** How long ago it began, in milliseconds; else now. */
  agoMs?: number;
  /** Begins a trace of its own where there is no span above; else there is no span then. */
  isRoot?: boolean;
};

export type OpenSpan = {
  /** Names the span to what it calls and starts; undefined where nothing is traced. */
  traceparent: string | undefined;
  end: (fields?: SpanFields, error?: unknown) => void;
};

export type Tracer = AsyncDisposable & { begin: (name: string, start: SpanStart) => OpenSpan };

export const NO_SPAN: OpenSpan = { traceparent: undefined, end: () => {} };
/** The span of work whose trace is not recorded. */
export const UNRECORDED_SPAN: OpenSpan = { traceparent: UNRECORDED, end: () => {} };

export const NO_TRACER: Tracer = { begin: () => NO_SPAN, [Symbol.asyncDispose]: async () => {} };

/** Runs `work` in a span of its own; `fieldsOf` adds what its result tells. */
export async function inSpan<T>(
  tracer: Tracer,
  name: string,
  start: SpanStart,
  work: () => Promise<T>,
  fieldsOf?: (result: T) => SpanFields,
): Promise<T> {
  const span = tracer.begin(name, start);
  const { requestId, traceparent } = workContext();
  if (span.traceparent === undefined || span.traceparent === traceparent) return work();
  try {
    const result = await inContext({ requestId, traceparent: span.traceparent }, work);
    span.end(fieldsOf?.(result));
    return result;
  } catch (error) {
    span.end({}, error);
    throw error;
  }
}

export type TracingConfig = NonNullable<ReturnType<typeof readTracing>>;

const DEFAULT_PART = 0.05;

/** Undefined without an endpoint. The names are OpenTelemetry's. */
export function readTracing(env: EnvReader) {
  const endpoint = env.optional("OTEL_EXPORTER_OTLP_ENDPOINT");
  const text = env.string("OTEL_TRACES_SAMPLER_ARG", String(DEFAULT_PART));
  /** The part of traces that is recorded, 0 to 1; decided where a trace begins. */
  const sampledPart = Number(text);
  if (!(sampledPart >= 0 && sampledPart <= 1)) {
    env.problem(`OTEL_TRACES_SAMPLER_ARG must be a part from 0 to 1, not "${text}"`);
  }
  if (endpoint === undefined) return undefined;
  // Spans are posted to `/v1/traces` below the endpoint.
  return { endpoint: env.url("OTEL_EXPORTER_OTLP_ENDPOINT"), sampledPart };
}

/** `random` gives a number in [0, 1) for each trace that begins, which decides whether it is recorded. */
export async function openTracer(
  service: string,
  config: TracingConfig | undefined,
  random: () => number,
): Promise<Tracer> {
  if (config === undefined) return NO_TRACER;
  const { openTelemetryTracer } = await import("./open-telemetry.ts");
  return openTelemetryTracer(service, config, random);
}
