/** The provider for the simulator's HTTP API. */
import { systemClock } from "#runtime/clock.ts";
import { FAILURE_CODES, type FailureCode, FAILURES } from "../../domain/failures.ts";
import { everything } from "../../domain/parameters.ts";
import type { Failure, Job, Polled, Provider } from "../provider.ts";
import { type Answer, createApi } from "../shared/http.ts";
import { UPSTREAM_FAILURES, UpstreamError } from "../shared/outcome.ts";

type SimulatorJob = {
  id: string;
  status: "queued" | "running" | "succeeded" | "failed";
  progress: number;
  /** Has no message where the client asked for the failure. */
  error?: { code: string; message?: string };
  output?: { urls: string[] };
};

const POLL_AFTER_MS = 500;
const IMAGE_POLL_MS = 50;
const AWAY_MS = 250;

export function simulatorProvider(baseUrl: string): Provider {
  const api = createApi({ baseUrl, clock: systemClock, headers: {} });
  const pathOf = (id: string) => `/jobs/${encodeURIComponent(id)}`;
  const create = (job: Job) => ({ method: "POST", path: "/jobs", json: submission(job) }) as const;
  const send = async (job: Job, signal: AbortSignal) => jobOf(await api.call(create(job), signal));
  const poll = async (id: string, signal: AbortSignal): Promise<Polled> => {
    const answer = await api.call({ method: "GET", path: pathOf(id) }, signal);
    return answer.status === 404 ? { kind: "gone" } : polled(jobOf(answer));
  };

  return {
    submit: async (job, signal) => {
      try {
        return { kind: "accepted", upstreamId: (await send(job, signal)).id };
      } catch {
        return { kind: "unknown" };
      }
    },
    // Equal requests have the same job, so sending again is safe whether or not the first request arrived.
    find: async ({ job }, signal) => ({ kind: "found", upstreamId: (await send(job, signal)).id }),
    poll,
    cancel: async (upstreamId, signal) => {
      const path = `${pathOf(upstreamId)}/cancel`;
      return (await api.call({ method: "POST", path }, signal)).status === 200;
    },
    image: async (job, signal) => {
      const first = await api.attempt(create(job), signal);
      if (first.kind === "not_sent") return { kind: "rejected", fault: "unavailable" };
      const isBegun = first.kind === "answered" && first.answer.status < 500;
      // What is asked again has the same job: a simulator that restarts meanwhile makes no second image.
      const { id } = isBegun
        ? jobOf(first.answer)
        : await whenBack(() => send(job, signal), signal);
      for (;;) {
        const answer = await whenBack(() => poll(id, signal), signal);
        if (answer.kind === "succeeded" || answer.kind === "failed") return answer;
        if (answer.kind !== "running") throw new Error("the simulator lost the image");
        await pause(IMAGE_POLL_MS, signal);
      }
    },
    findsImages: true,
    carries: everything,
    check: async (signal) => {
      try {
        const { status } = await api.call({ method: "GET", path: "/health" }, signal);
        if (status === 200) return { ok: true };
        return { ok: false, fault: "unavailable", detail: `it answered ${status}` };
      } catch (error) {
        return { ok: false, fault: "unavailable", detail: (error as Error).message };
      }
    },
  };
}

/** Repeats a request while the simulator is away, until `signal` aborts. */
async function whenBack<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof UpstreamError && error.status < 500) throw error;
      await pause(AWAY_MS, signal);
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await systemClock.sleep(ms, signal);
  signal.throwIfAborted();
}

function submission(job: Job): object {
  return {
    client_token: job.token,
    submitted_at_ms: job.submittedAt.getTime(),
    kind: job.kind,
    model: job.model,
    prompt: job.prompt,
    negative_prompt: job.negativePrompt,
    width: job.width,
    height: job.height,
    duration_seconds: job.durationSeconds,
    seed: job.seed,
    count: job.count,
    background: job.background,
    output_format: job.outputFormat,
    simulate: job.mode === "test" ? job.metadata["simulate"] : undefined,
  };
}

function jobOf(answer: Answer): SimulatorJob {
  if (answer.status !== 200) throw new UpstreamError("a request for a job", answer);
  return answer.body as SimulatorJob;
}

function polled(job: SimulatorJob): Polled {
  switch (job.status) {
    case "queued":
    case "running":
      return { kind: "running", progress: job.progress, pollAfterMs: POLL_AFTER_MS };
    case "succeeded":
      return {
        kind: "succeeded",
        sources: (job.output?.urls ?? []).map((url) => ({ url, configuredOrigin: true })),
      };
    case "failed":
      return { kind: "failed", failure: failureOf(job) };
  }
}

/** What live mode usually says. */
const LIVE_MESSAGES: Readonly<Record<FailureCode, string>> = {
  content_rejected: UPSTREAM_FAILURES.contentRejected.message,
  invalid_input: UPSTREAM_FAILURES.invalidInput.message,
  upstream_failed: UPSTREAM_FAILURES.failed.message,
  upstream_timeout: UPSTREAM_FAILURES.timedOut.message,
  expired: UPSTREAM_FAILURES.resultGone.message,
  internal: FAILURES.interrupted.message,
};

function failureOf(job: SimulatorJob): Failure {
  const code = FAILURE_CODES.find((one) => one === job.error?.code) ?? "upstream_failed";
  return { code, message: job.error?.message ?? `Simulated: ${LIVE_MESSAGES[code]}` };
}
