/** A Replicate prediction in the terms of the provider interface. */
import type { Failure, Polled, Source } from "../provider.ts";
import { contentRejected, invalidInput, RESULT_EXPIRED, UPSTREAM_FAILED } from "../refusals.ts";

export type Prediction = {
  id: string;
  status: string;
  input?: Record<string, unknown> | null;
  output?: unknown;
  error?: unknown;
  data_removed?: boolean;
  created_at?: string;
  webhook?: string;
};

const POLL_AFTER_MS = 2_000;

/** Whether an answer is a prediction at all. */
export function isPrediction(body: unknown): body is Prediction {
  return typeof body === "object" && body !== null && "id" in body && typeof body.id === "string" && "status" in body;
}

export function predictionState(prediction: Prediction, sourceOf: (url: string) => Source): Polled {
  switch (prediction.status) {
    case "succeeded":
      return succeeded(prediction, sourceOf);
    case "failed":
      return { kind: "failed", failure: predictionFailure(`${String(prediction.error)}`) };
    case "canceled":
    case "aborted":
      return { kind: "stopped" };
    default:
      return { kind: "running", pollAfterMs: POLL_AFTER_MS };
  }
}

function succeeded(prediction: Prediction, sourceOf: (url: string) => Source): Polled {
  const urls = outputUrls(prediction.output);
  if (urls.length > 0) return { kind: "succeeded", sources: urls.map(sourceOf) };
  return { kind: "failed", failure: prediction.data_removed ? RESULT_EXPIRED : UPSTREAM_FAILED };
}

/** Models answer with a URL, a list of them, or an object of either. */
export function outputUrls(output: unknown): string[] {
  if (typeof output === "string") return /^(https?|data):/.test(output) ? [output] : [];
  if (typeof output !== "object" || output === null) return [];
  return Object.values(output).flatMap(outputUrls);
}

/** Failures are free text; only its codes and a few words are dependable. */
export function predictionFailure(text: string): Failure {
  if (/\(E005\)|nsfw|flagged as sensitive|content (policy|moderation)|safety/i.test(text)) {
    return contentRejected("either");
  }
  if (/\(code: PA\)|\(E003\)|high demand|interrupted/i.test(text)) return UPSTREAM_FAILED;
  if (/(download|fetch|load|open|identify)\w* (the )?(image|file|url)/i.test(text)) return invalidInput("image_unreachable");
  if (/validation|invalid (input|value|prompt|image)|must be (one of|between|less|greater|at)/i.test(text)) {
    return invalidInput(/prompt/i.test(text) ? "prompt" : "input");
  }
  return UPSTREAM_FAILED;
}
