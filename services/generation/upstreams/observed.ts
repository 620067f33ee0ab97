/** Observes the calls of an upstream: how long each took, what was answered, and whether it answers at all. */
import { Gauge, type Registry } from "prom-client";
import { type Clock, within } from "#runtime/clock.ts";
import { sampled, timed } from "#runtime/metrics/metrics.ts";
import type { Tracer } from "#runtime/tracing/tracer.ts";
import type { Failure, Provider } from "../providers/provider.ts";
import { SIMULATOR } from "./upstreams.ts";

type UpstreamCall = {
  upstream: string;
  call: "submit" | "find" | "poll" | "cancel" | "image";
};

/** The provider of an upstream, with each of its calls for tasks observed. */
export type Observe = (provider: Provider, upstream: string) => Provider;

const INPUT_FAULTS: ReadonlySet<string> = new Set(["content_rejected", "invalid_input"]);

/** Notes each call with its seconds, and in a span. */
export function observing(
  note: (labels: UpstreamCall & { outcome: string }, seconds: number) => void,
  tracer: Tracer,
): Observe {
  return (provider, upstream) => {
    const observed = <T>(
      call: UpstreamCall["call"],
      make: () => Promise<T>,
      kindOf: (answer: T) => string,
    ) => {
      const fields = { "media.upstream": upstream };
      const span = tracer.begin(`upstream ${call}`, { kind: "client", fields });
      return timed(make, (result, seconds) => {
        const outcome = result.status === "fulfilled" ? kindOf(result.value) : "error";
        note({ upstream, call, outcome }, seconds);
        const error = result.status === "rejected" ? result.reason : undefined;
        span.end({ "media.outcome": outcome }, error);
      });
    };
    const found = (upstreamId?: string) => (upstreamId === undefined ? "unknown" : "found");
    const stopped = (isStopped: boolean) => (isStopped ? "stopped" : "not_stopped");
    const { image } = provider;
    return {
      ...provider,
      submit: (job, signal) => observed("submit", () => provider.submit(job, signal), kind),
      find: (lost, signal) => observed("find", () => provider.find(lost, signal), found),
      poll: (id, signal) => observed("poll", () => provider.poll(id, signal), kind),
      cancel: (id, signal) => observed("cancel", () => provider.cancel(id, signal), stopped),
      ...(image && { image: (job, signal) => observed("image", () => image(job, signal), kind) }),
    };
  };
}

/** A job or an image that its input failed is `refused`, as a submit is. */
function kind(answer: { kind: string; fault?: string; failure?: Failure }): string {
  const isRefused = answer.failure !== undefined && INPUT_FAULTS.has(answer.failure.code);
  if (isRefused) return "refused";
  return answer.kind === "rejected" ? (answer.fault ?? answer.kind) : answer.kind;
}

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
