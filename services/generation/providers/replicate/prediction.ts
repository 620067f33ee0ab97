/** Maps a Replicate prediction to the provider interface. */
import { UPSTREAM_FAILURES } from "../shared/failures.ts";
import { inlineSource } from "../shared/inline.ts";
import { at, textAt } from "../shared/json.ts";
import type { Polled, Source } from "../provider.ts";
import { predictionFailure } from "./errors.ts";

const POLL_AFTER_MS = 2_000;
/** These outputs take precedence, because some models also return pictures of their videos. */
const NAMES = ["video", "videos", "image", "images"];

/** An unknown status counts as running; the task ends at its deadline at the latest. */
export function predictionState(prediction: unknown, sourceOf: (url: string) => Source): Polled {
  switch (textAt(prediction, "status")) {
    case "succeeded":
      return succeeded(prediction, sourceOf);
    case "failed":
      return failed(predictionFailure(textAt(prediction, "error") ?? ""));
    case "canceled":
    case "aborted":
      return { kind: "stopped" };
    default:
      return { kind: "running", pollAfterMs: POLL_AFTER_MS };
  }
}

/**
 * Returns the URLs of the output, which is a URL, a list of them, or an object of either. Of an object the first property
 * with any counts; others are extras, e.g. the last frame.
 */
function outputUrls(output: unknown): string[] {
  if (typeof output === "string") return /^(https?:|data:)/.test(output) ? [output] : [];
  if (Array.isArray(output)) return output.flatMap(outputUrls);
  if (typeof output !== "object" || output === null) return [];
  const named = NAMES.map((name) => at(output, name));
  const urls = [...named, ...Object.values(output)].map(outputUrls);
  return urls.find(({ length }) => length > 0) ?? [];
}

function succeeded(prediction: unknown, sourceOf: (url: string) => Source): Polled {
  const urls = outputUrls(at(prediction, "output"));
  if (urls.length > 0) {
    const inline = (url: string) => (url.startsWith("data:") ? inlineSource(url) : undefined);
    return { kind: "succeeded", sources: urls.map((url) => inline(url) ?? sourceOf(url)) };
  }
  const isRemoved = at(prediction, "data_removed") === true;
  return failed(isRemoved ? UPSTREAM_FAILURES.resultGone : UPSTREAM_FAILURES.failed);
}

function failed(failure: Extract<Polled, { kind: "failed" }>["failure"]): Polled {
  return { kind: "failed", failure };
}
