/** Observes the calls of an upstream: how long each took, and what was answered. */
import { timed } from "#runtime/metrics/metrics.ts";
import type { Tracer } from "#runtime/tracing/tracer.ts";
import type { Failure, Provider } from "../providers/provider.ts";

/** The provider of an upstream, with each of its calls for tasks observed. */
export type Observe = (provider: Provider, upstream: string) => Provider;

const INPUT_FAULTS: ReadonlySet<string> = new Set(["content_rejected", "invalid_input"]);

/** Notes each call with its seconds, and in a span. */
export function observing(
  note: (labels: { upstream: string; call: string; outcome: string }, seconds: number) => void,
  tracer: Tracer,
): Observe {
  return (provider, upstream) => {
    const observed = <T>(
      call: "submit" | "find" | "poll" | "cancel" | "image",
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
    const { find, image } = provider;
    return {
      ...provider,
      submit: (job, signal) => observed("submit", () => provider.submit(job, signal), kind),
      ...(find && { find: (lost, signal) => observed("find", () => find(lost, signal), found) }),
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
