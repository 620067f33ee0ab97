/** The provider for the simulator's HTTP API. */
import { request } from "undici";
import { systemClock } from "#runtime/clock.ts";
import { FAILURE_CODES, type FailureCode, FAILURES } from "../../domain/failures.ts";
import { everything } from "../../domain/parameters.ts";
import type { Failure, Imaged, Job, Polled, Provider } from "../provider.ts";
import { UPSTREAM_FAILURES } from "../shared/outcome.ts";

type SimulatorJob = {
  id: string;
  status: "queued" | "running" | "succeeded" | "failed";
  progress: number;
  /** Has no message where the client asked for the failure. */
  error?: { code: string; message?: string };
  output?: { urls: string[] };
};

type Answer = { status: number; body: unknown };

const POLL_AFTER_MS = 500;
const IMAGE_POLL_MS = 50;
const AWAY_MS = 250;
/** What the system says when no connection was made. */
const NOT_CONNECTED = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** The simulator answered, and not with what was asked for. */
class AnswerError extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`the simulator answered ${status}`);
    this.status = status;
  }
}

export function simulatorProvider(baseUrl: string): Provider {
  const call = async (method: "GET" | "POST", path: string, signal: AbortSignal, body?: object) => {
    const response = await request(`${baseUrl}${path}`, {
      method,
      signal,
      ...(body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
    const text = await response.body.text();
    return { status: response.statusCode, body: JSON.parse(text || "null") as unknown };
  };

  const readJob = async (id: string, signal: AbortSignal): Promise<SimulatorJob | undefined> => {
    const answer = await call("GET", `/jobs/${encodeURIComponent(id)}`, signal);
    if (answer.status === 404) return undefined;
    return jobOf(answer);
  };

  const send = async (job: Job, signal: AbortSignal) =>
    jobOf(await call("POST", "/jobs", signal, submission(job)));

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
    poll: async (upstreamId, signal) => {
      const job = await readJob(upstreamId, signal);
      return job ? polled(job) : { kind: "gone" };
    },
    cancel: async (upstreamId, signal) => {
      const path = `/jobs/${encodeURIComponent(upstreamId)}/cancel`;
      return (await call("POST", path, signal)).status === 200;
    },
    image: async (job, signal) => {
      let begun: SimulatorJob | undefined;
      try {
        begun = await send(job, signal);
      } catch (error) {
        if (wasNotSent(error)) return { kind: "rejected", fault: "unavailable" };
        if (!isAway(error)) throw error;
      }
      // What is asked again has the same job: a simulator that restarts meanwhile makes no second image.
      const { id } = begun ?? (await whenBack(() => send(job, signal), signal));
      for (;;) {
        const found = await whenBack(() => readJob(id, signal), signal);
        const imaged = imageOf(found ? polled(found) : { kind: "gone" });
        if (imaged) return imaged;
        await pause(IMAGE_POLL_MS, signal);
      }
    },
    findsImages: true,
    carries: everything,
    check: async (signal) => {
      try {
        const { status } = await call("GET", "/health", signal);
        if (status === 200) return { ok: true };
        return { ok: false, fault: "unavailable", detail: `it answered ${status}` };
      } catch (error) {
        return { ok: false, fault: "unavailable", detail: (error as Error).message };
      }
    },
  };
}

function wasNotSent(error: unknown): boolean {
  return NOT_CONNECTED.has((error as NodeJS.ErrnoException).code ?? "");
}

/** Whether another try may find a simulator that answers. */
function isAway(error: unknown): boolean {
  return !(error instanceof AnswerError) || error.status >= 500;
}

/** Repeats a request while the simulator is away, until `signal` aborts. */
async function whenBack<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isAway(error)) throw error;
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
  if (answer.status !== 200) throw new AnswerError(answer.status);
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

function imageOf(answer: Polled): Imaged | undefined {
  switch (answer.kind) {
    case "running":
      return undefined;
    case "succeeded":
    case "failed":
      return answer;
    case "stopped":
    case "gone":
      throw new Error("the simulator lost the image");
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
