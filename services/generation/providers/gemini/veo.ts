/** Builds Veo's requests and maps its operations to the provider interface. */
import { UPSTREAM_FAILURES } from "../shared/failures.ts";
import { at, listAt, numberAt, textAt } from "../shared/json.ts";
import { objectAt } from "../shared/model-input.ts";
import type { Job, Polled, Source } from "../provider.ts";
import { operationFailure } from "./errors.ts";

const POLL_AFTER_MS = 10_000;
/** The documented form of a name; it is checked because the name becomes part of a URL. */
const OPERATION = /^models\/[\w.-]+\/operations\/[\w.-]+$/;

/** The body of `predictLongRunning`; `parameters.parameters` of the upstream are added unchanged. */
export function veoRequest(job: Job): object {
  const [frame] = job.pictures ?? [];
  const image = frame && {
    bytesBase64Encoded: Buffer.from(frame.content).toString("base64"),
    mimeType: frame.contentType,
  };
  return {
    instances: [{ prompt: job.prompt, image }],
    parameters: {
      aspectRatio: job.aspectRatio,
      durationSeconds: job.durationSeconds,
      negativePrompt: job.negativePrompt,
      resolution: "720p",
      ...objectAt(job.parameters, "parameters"),
      sampleCount: 1,
    },
  };
}

/** Returns the operation's name; undefined if it is absent or not safe in a URL. */
export function operationName(body: unknown): string | undefined {
  const name = textAt(body, "name");
  return name !== undefined && OPERATION.test(name) ? name : undefined;
}

export function operationState(operation: unknown, sourceOf: (url: string) => Source): Polled {
  if (at(operation, "done") !== true) return { kind: "running", pollAfterMs: POLL_AFTER_MS };
  const error = at(operation, "error");
  if (error !== undefined) return { kind: "failed", failure: operationFailure(error) };
  const answer = at(operation, "response", "generateVideoResponse");
  const [url] = listAt(answer, "generatedSamples").flatMap(
    (sample) => textAt(sample, "video", "uri") ?? [],
  );
  if (url !== undefined) return { kind: "succeeded", sources: [sourceOf(url)] };
  const isFiltered = (numberAt(answer, "raiMediaFilteredCount") ?? 0) > 0;
  const { contentRejected, failed } = UPSTREAM_FAILURES;
  return { kind: "failed", failure: isFiltered ? contentRejected : failed };
}
