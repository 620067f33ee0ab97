/** Builds interactions, with which Gemini Omni makes videos, and maps them to the provider interface. */
import { UPSTREAM_FAILURES } from "../shared/failures.ts";
import { tierOf } from "../shared/frame.ts";
import { inlineSource } from "../shared/inline.ts";
import { at, listAt, textAt } from "../shared/json.ts";
import { objectAt } from "../shared/model-input.ts";
import { promptOf } from "../shared/prompt.ts";
import type { Failure, Job, Polled, Source } from "../provider.ts";
import { interactionFailure } from "./errors.ts";

const POLL_AFTER_MS = 10_000;
/** It is checked because the id becomes part of a URL. */
const ID = /^[\w.-]+$/;

/** What each status of an interaction says of a job. One that is not here counts as running. */
const INTERACTION_STATES: Readonly<Record<string, "running" | "made" | "failed" | "stopped">> = {
  queued: "running",
  in_progress: "running",
  completed: "made",
  failed: "failed",
  cancelled: "stopped",
  // Nobody answers what it asks for: no tool is offered, and a background interaction continues by itself.
  requires_action: "failed",
  requires_continuation: "failed",
  incomplete: "failed",
  budget_exceeded: "failed",
};

/** The body of a create; `response_format` and `interaction` of the upstream's parameters are added to it. */
export function interactionRequest(job: Job): object {
  const pictures = (job.pictures ?? []).map(({ content, contentType }) => ({
    type: "image",
    mime_type: contentType,
    data: Buffer.from(content).toString("base64"),
  }));
  const tier = tierOf(job);
  return {
    model: job.model,
    input: [{ type: "text", text: promptOf(job) }, ...pictures],
    background: true,
    store: true,
    response_format: {
      type: "video",
      aspect_ratio: job.aspectRatio,
      duration: job.durationSeconds === undefined ? undefined : `${job.durationSeconds}s`,
      // The vendor knows no 480p.
      resolution: tier === "480p" ? "720p" : tier,
      delivery: "uri",
      ...objectAt(job.parameters, "response_format"),
    },
    generation_config: job.seed === undefined ? undefined : { seed: job.seed },
    ...objectAt(job.parameters, "interaction"),
  };
}

/** Returns the interaction's id; undefined if it is absent or not safe in a URL. */
export function interactionId(body: unknown): string | undefined {
  const id = textAt(body, "id");
  return id !== undefined && ID.test(id) ? id : undefined;
}

export function interactionState(body: unknown, sourceOf: (url: string) => Source): Polled {
  switch (INTERACTION_STATES[textAt(body, "status") ?? ""]) {
    case "made": {
      const source = videoOf(body, sourceOf);
      return source ? { kind: "succeeded", sources: [source] } : failed(failureOf(body));
    }
    case "failed":
      return failed(failureOf(body));
    case "stopped":
      return { kind: "stopped" };
    default:
      return { kind: "running", pollAfterMs: POLL_AFTER_MS };
  }
}

/** The last video of the model's steps. */
function videoOf(body: unknown, sourceOf: (url: string) => Source): Source | undefined {
  const video = outputSteps(body)
    .flatMap((step) => listAt(step, "content"))
    .findLast((content) => textAt(content, "type") === "video");
  const uri = textAt(video, "uri");
  return uri === undefined ? inlineSource(textAt(video, "data") ?? "") : sourceOf(uri);
}

/** The first error of the interaction or its steps. */
function failureOf(body: unknown): Failure {
  const errors = [...listAt(body, "errors"), ...outputSteps(body).map((step) => at(step, "error"))];
  const error = errors.find((one) => one !== undefined && one !== null);
  return error === undefined ? UPSTREAM_FAILURES.failed : interactionFailure(error);
}

function outputSteps(body: unknown): unknown[] {
  return listAt(body, "steps").filter((step) => textAt(step, "type") === "model_output");
}

function failed(failure: Failure): Polled {
  return { kind: "failed", failure };
}
