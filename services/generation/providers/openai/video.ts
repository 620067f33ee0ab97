/** Builds video requests to OpenAI-compatible APIs and maps their jobs to the provider interface. */
import { UPSTREAM_FAILURES } from "../shared/failures.ts";
import { dataUri } from "../shared/inline.ts";
import { at, numberAt, textAt } from "../shared/json.ts";
import { objectAt } from "../shared/model-input.ts";
import { promptOf } from "../shared/prompt.ts";
import type { Job, Polled, Source } from "../provider.ts";
import { jobFailure } from "./errors.ts";

const POLL_AFTER_MS = 10_000;

/** The body of a create; `parameters.body` of the upstream is added unchanged. */
export function videoRequest(job: Job): object {
  const [image] = job.pictures ?? [];
  return {
    model: job.model,
    prompt: promptOf(job),
    size: `${job.width}x${job.height}`,
    seconds: job.durationSeconds === undefined ? undefined : `${job.durationSeconds}`,
    input_reference: image && { image_url: dataUri(image) },
    ...objectAt(job.parameters, "body"),
  };
}

/** An unknown status counts as running; the task ends at its deadline at the latest. */
export function videoState(video: unknown, content: Source, nowMs: number): Polled {
  const progress = numberAt(video, "progress");
  switch (textAt(video, "status")) {
    case "completed":
      return (numberAt(video, "expires_at") ?? Infinity) * 1000 <= nowMs
        ? { kind: "failed", failure: UPSTREAM_FAILURES.resultGone }
        : { kind: "succeeded", sources: [content] };
    case "failed":
      return { kind: "failed", failure: jobFailure(at(video, "error")) };
    case "cancelled":
    case "canceled":
      return { kind: "stopped" };
    default:
      return {
        kind: "running",
        pollAfterMs: POLL_AFTER_MS,
        ...(progress === undefined ? {} : { progress }),
      };
  }
}
