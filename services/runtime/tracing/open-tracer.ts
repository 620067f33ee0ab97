/** Opens a service's tracer; OpenTelemetry's SDK is loaded only where spans are wanted. */
import type { Clock } from "../clock.ts";
import type { TracingConfig } from "./config.ts";
import { NO_TRACER } from "./tracer.ts";
import type { Tracer } from "./tracer.ts";

export async function openTracer(
  service: string,
  config: TracingConfig | undefined,
  clock: Clock,
): Promise<Tracer> {
  if (config === undefined) return NO_TRACER;
  const { openTelemetryTracer } = await import("./open-telemetry.ts");
  return openTelemetryTracer(service, config, clock);
}
