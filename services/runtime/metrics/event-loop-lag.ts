/** The lag of the event loop, the same for everybody who scrapes. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Gauge, type Registry } from "prom-client";
import type { Clock } from "../clock.ts";

const NAME = "nodejs_eventloop_lag_p99_seconds";
const RESOLUTION_MS = 10;
/** Longer than what usually lies between two scrapes of one scraper. */
const SPAN_MS = 30_000;

/**
 * Replaces prom-client's gauge, which begins anew with each scrape, so that two scrapers would each see a part. This one is
 * the higher of two spans, the one that runs and the one before, each of half a minute at least.
 */
export function eventLoopLag(registry: Registry, clock: Clock): void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let beganAtMs = clock.monotonicMs();
  let beforeSeconds = 0;
  registry.removeSingleMetric(NAME);
  new Gauge({
    name: NAME,
    help: "The 99th percentile of the event loop's delays in the last half minute or more.",
    registers: [registry],
    collect() {
      const seconds = delay.percentile(99) / 1e9;
      this.set(Math.max(seconds, beforeSeconds));
      const nowMs = clock.monotonicMs();
      if (nowMs - beganAtMs < SPAN_MS) return;
      beganAtMs = nowMs;
      beforeSeconds = seconds;
      delay.reset();
    },
  });
}
