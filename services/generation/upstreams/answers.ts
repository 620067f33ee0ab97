/** The metric of which upstreams answer: by what their calls come to, and for the simulator by asking it. */
import { Gauge, type Registry } from "prom-client";
import { within, type Clock } from "#runtime/clock.ts";
import { sampled } from "#runtime/metrics/metrics.ts";
import type { Provider } from "../providers/provider.ts";
import type { UpstreamCall } from "./observed.ts";
import { SIMULATOR } from "./upstreams.ts";

/** Fewer may be the fault of single jobs. */
const MIN_UNANSWERED = 3;
/** After this time without a call nothing is known of an upstream. */
const FORGET_MS = 120_000;
/** Less than a scrape waits. */
const CHECK_MS = 900;
const UNANSWERED = new Set(["error", "unknown", "unavailable"]);

export type AnswersDeps = { clock: Clock; simulator: Pick<Provider, "check"> };

/** Returns what hears of each call and its outcome. */
export function upstreamAnswers(
  registry: Registry,
  { clock, simulator }: AnswersDeps,
): (call: UpstreamCall & { outcome: string }) => void {
  const upstreams = new Map<string, { unanswered: number; atMs: number }>();
  const asksSimulator = sampled(clock, async () => {
    const limit = AbortSignal.timeout(CHECK_MS);
    const checked = await within(clock, CHECK_MS, simulator.check(limit)).catch(() => undefined);
    return { answers: checked?.ok ?? false };
  });
  new Gauge({
    name: "media_upstream_answers",
    help: "0 while the last three calls of an upstream or more had no answer, else 1",
    labelNames: ["upstream"] as const,
    registers: [registry],
    async collect() {
      const simulated = await asksSimulator();
      this.reset();
      if (simulated) this.set({ upstream: SIMULATOR }, simulated.answers ? 1 : 0);
      for (const [upstream, { unanswered, atMs }] of upstreams) {
        const isRecent = clock.monotonicMs() - atMs < FORGET_MS;
        if (isRecent) this.set({ upstream }, unanswered >= MIN_UNANSWERED ? 0 : 1);
        else upstreams.delete(upstream);
      }
    },
  });
  return ({ upstream, call, outcome }) => {
    // A look-up may be `unknown` without a call.
    if (upstream === SIMULATOR || (call === "find" && outcome === "unknown")) return;
    const before = upstreams.get(upstream)?.unanswered ?? 0;
    const unanswered = UNANSWERED.has(outcome) ? before + 1 : 0;
    upstreams.set(upstream, { unanswered, atMs: clock.monotonicMs() });
  };
}
