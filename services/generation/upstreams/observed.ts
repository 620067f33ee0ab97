/** Observes the calls of an upstream: how long each took, and what was answered. */
import { timed } from "#runtime/metrics/metrics.ts";
import type { Tracer } from "#runtime/tracing/tracer.ts";
import type { Failure, Provider } from "../providers/provider.ts";

export type UpstreamCall = {
  upstream: string;
  call: "submit" | "find" | "poll" | "cancel" | "image";
};

/** Makes a call, and hears what it came to: a kind of answer, or `error`. */
export type ObserveCall = <T>(
  about: UpstreamCall,
  call: () => Promise<T>,
  outcomeOf: (result: PromiseSettledResult<T>) => string,
) => Promise<T>;

/** Observes into a histogram of seconds, and in a span. */
export function observedCalls(
  callTimes: {
    observe: (labels: UpstreamCall & { outcome: string }, seconds: number) => void;
  },
  tracer: Tracer,
): ObserveCall {
  return (about, call, outcomeOf) => {
    const span = tracer.begin(`upstream ${about.call}`, {
      kind: "client",
      fields: { "media.upstream": about.upstream },
    });
    return timed(call, (result, seconds) => {
      const outcome = outcomeOf(result);
      callTimes.observe({ ...about, outcome }, seconds);
      const error = result.status === "rejected" ? result.reason : undefined;
      span.end({ "media.outcome": outcome }, error);
    });
  };
}

const INPUT_FAULTS: ReadonlySet<string> = new Set(["content_rejected", "invalid_input"]);

/** The provider, with each of its calls for tasks made through `observe`. */
export function observedProvider(
  provider: Provider,
  upstream: string,
  observe: ObserveCall,
): Provider {
  const { image } = provider;
  const observed = <T>(
    call: UpstreamCall["call"],
    make: () => Promise<T>,
    kindOf: (answer: T) => string,
  ) => observe({ upstream, call }, make, outcomeWith(kindOf));
  return {
    ...provider,
    submit: (job, signal) => observed("submit", () => provider.submit(job, signal), kind),
    find: (lost, signal) => observed("find", () => provider.find(lost, signal), kind),
    poll: (id, signal) => observed("poll", () => provider.poll(id, signal), kind),
    cancel: (id, signal) =>
      observed(
        "cancel",
        () => provider.cancel(id, signal),
        (isStopped) => (isStopped ? "stopped" : "not_stopped"),
      ),
    ...(image ? { image: (job, signal) => observed("image", () => image(job, signal), kind) } : {}),
  };
}

/** A job or an image that its input failed is `refused`, as a submit is. */
function kind(answer: { kind: string; fault?: string; failure?: Failure }): string {
  const isRefused = answer.failure !== undefined && INPUT_FAULTS.has(answer.failure.code);
  if (isRefused) return "refused";
  return answer.kind === "rejected" ? (answer.fault ?? answer.kind) : answer.kind;
}

function outcomeWith<T>(
  kindOf: (answer: T) => string,
): (result: PromiseSettledResult<T>) => string {
  return (result) => (result.status === "fulfilled" ? kindOf(result.value) : "error");
}
