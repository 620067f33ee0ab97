/** Opens a service's tracer; OpenTelemetry's SDK is loaded only where spans are wanted. */
import type { TracingConfig } from "./config.ts";
import type { TracerDeps } from "./open-telemetry.ts";
import { NO_TRACER, type Tracer } from "./tracer.ts";

export async function openTracer(
  service: string,
  config: TracingConfig | undefined,
  deps: TracerDeps,
): Promise<Tracer> {
  if (config === undefined) return NO_TRACER;
  const { openTelemetryTracer } = await import("./open-telemetry.ts");
  return openTelemetryTracer(service, config, deps);
}
