/** The provider for the simulator's HTTP API. */
import { systemClock } from "#runtime/clock.ts";
import { FAILURE_CODES, type FailureCode, FAILURES } from "../../domain/failures.ts";
import { everything } from "../../domain/parameters.ts";
import type { Failure, Job, Provider } from "../provider.ts";
import type { Answer } from "../shared/http.ts";
import { listAt, numberAt, textAt } from "../shared/json.ts";
import {
  createVendorApi,
  type JobReader,
  UPSTREAM_FAILURES,
  UpstreamError,
} from "../shared/outcome.ts";

const POLL_AFTER_MS = 500;
const IMAGE_POLL_MS = 50;
const AWAY_MS = 250;

const JOB: JobReader = {
  states: { succeeded: "made", failed: "failed" },
  pollAfterMs: POLL_AFTER_MS,
  progressOf: (body) => numberAt(body, "progress"),
  sourcesOf: (body) =>
    listAt(body, "output", "urls").map((url) => ({ url: String(url), configuredOrigin: true })),
  failureOf,
};

export function simulatorProvider(baseUrl: string): Provider {
  const settings = { baseUrl, clock: systemClock, headers: {} };
  const api = createVendorApi(settings, { faultOf: () => ({}), refusals: [] });
  const pathOf = (id: string) => `/jobs/${encodeURIComponent(id)}`;
  const create = (job: Job) => ({ method: "POST", path: "/jobs", json: submission(job) }) as const;
  const send = async (job: Job, signal: AbortSignal) => idIn(await api.call(create(job), signal));
  const poll = (id: string, signal: AbortSignal) => api.poll(pathOf(id), signal, JOB, () => true);

  return {
    submit: (job, signal) => api.submit(create(job), signal),
    // Equal requests have the same job, so sending again is safe whether or not the first request arrived.
    find: send,
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
      const id = isBegun ? idIn(first.answer) : await whenBack(() => send(job, signal), signal);
      for (;;) {
        const answer = await whenBack(() => poll(id, signal), signal);
        if (answer.kind === "succeeded" || answer.kind === "failed") return answer;
        if (answer.kind !== "running") throw new Error("the simulator lost the image");
        await pause(IMAGE_POLL_MS, signal);
      }
    },
    findsImages: true,
    carries: everything,
    check: (signal) => api.check({ path: "/health" }, signal),
  };
}

function idIn(answer: Answer): string {
  const id = textAt(answer.body, "id");
  if (answer.status !== 200 || !id) throw new UpstreamError("a request for a job", answer);
  return id;
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

/** What live mode usually says. */
const LIVE_MESSAGES: Readonly<Record<FailureCode, string>> = {
  content_rejected: UPSTREAM_FAILURES.contentRejected.message,
  invalid_input: UPSTREAM_FAILURES.invalidInput.message,
  upstream_failed: UPSTREAM_FAILURES.failed.message,
  upstream_timeout: UPSTREAM_FAILURES.timedOut.message,
  expired: UPSTREAM_FAILURES.resultGone.message,
  internal: FAILURES.interrupted.message,
};

/** Has no message where the client asked for the failure. */
function failureOf(body: unknown): Failure {
  const told = textAt(body, "error", "code");
  const code = FAILURE_CODES.find((one) => one === told) ?? "upstream_failed";
  const message = textAt(body, "error", "message") ?? `Simulated: ${LIVE_MESSAGES[code]}`;
  return { code, message };
}
