/** Video jobs of the OpenAI dialect in the terms of the provider interface. */
import { objectAt } from "../model-input.ts";
import type { Job, Polled, Source } from "../provider.ts";
import { RESULT_EXPIRED } from "../refusals.ts";
import type { OpenAiError } from "./errors.ts";
import { jobFailure } from "./errors.ts";

export type VideoJob = {
  id: string;
  status: string;
  progress?: number | null;
  expires_at?: number | null;
  error?: OpenAiError | null;
};

const POLL_AFTER_MS = 10_000;

/** The body of a create; `parameters.body` of the route is added as it is. */
export function videoRequest(job: Job): object {
  const [image] = job.imageUrls;
  return {
    model: job.model,
    prompt: job.prompt,
    size: `${job.width}x${job.height}`,
    ...(job.durationSeconds === undefined ? {} : { seconds: `${job.durationSeconds}` }),
    ...(image === undefined ? {} : { input_reference: { image_url: image } }),
    ...objectAt(job.parameters, "body"),
  };
}

/** Whether an answer is a video job at all; gateways add fields of their own. */
export function isVideoJob(body: unknown): body is VideoJob {
  return typeof body === "object" && body !== null && "id" in body && typeof body.id === "string" && body.id !== "";
}

export function videoState(job: VideoJob, content: Source, nowMs: number): Polled {
  switch (job.status) {
    case "completed":
      if (typeof job.expires_at === "number" && job.expires_at * 1000 <= nowMs) {
        return { kind: "failed", failure: RESULT_EXPIRED };
      }
      return { kind: "succeeded", sources: [content] };
    case "failed":
      return { kind: "failed", failure: jobFailure(job.error ?? {}) };
    case "cancelled":
    case "canceled":
      return { kind: "stopped" };
    default:
      return {
        kind: "running",
        pollAfterMs: POLL_AFTER_MS,
        ...(typeof job.progress === "number" ? { progress: job.progress } : {}),
      };
  }
}
