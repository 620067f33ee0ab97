/** The settings of traces, and their tracer: OpenTelemetry's SDK is loaded only where spans are wanted. */
import type { EnvReader } from "../env.ts";
import { NO_TRACER, type Tracer } from "./tracer.ts";

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
