/** Veo's requests and operations in the terms of the provider interface. */
import type { Job, Polled, Source } from "../provider.ts";
import { objectAt } from "../model-input.ts";
import { contentRejected, UPSTREAM_FAILED } from "../refusals.ts";
import type { RpcError } from "./errors.ts";
import { operationFailure } from "./errors.ts";

export type FirstFrame = { content: Uint8Array; contentType: string };

export type Operation = {
  name?: string;
  done?: boolean;
  error?: RpcError;
  response?: {
    generateVideoResponse?: {
      generatedSamples?: { video?: { uri?: string } }[];
      raiMediaFilteredCount?: number;
    };
  };
};

const POLL_AFTER_MS = 10_000;
const DEFAULT_RESOLUTION = "720p";
/** The name is put into a URL, so it is held to what Google documents. */
const OPERATION = /^models\/[\w.-]+\/operations\/[\w.-]+$/;

/** The body of `predictLongRunning`; `parameters.parameters` of the route are added as they are. */
export function veoRequest(job: Job, frame: FirstFrame | undefined): object {
  const image = frame && {
    bytesBase64Encoded: Buffer.from(frame.content).toString("base64"),
    mimeType: frame.contentType,
  };
  return {
    instances: [{ prompt: job.prompt, ...(image ? { image } : {}) }],
    parameters: {
      resolution: DEFAULT_RESOLUTION,
      ...(job.aspectRatio === undefined ? {} : { aspectRatio: job.aspectRatio }),
      ...(job.durationSeconds === undefined ? {} : { durationSeconds: job.durationSeconds }),
      ...(job.negativePrompt === undefined ? {} : { negativePrompt: job.negativePrompt }),
      ...objectAt(job.parameters, "parameters"),
      sampleCount: 1,
    },
  };
}

/** The operation's name where the answer has one that is safe to ask for. */
export function operationName(body: Operation): string | undefined {
  return body.name !== undefined && OPERATION.test(body.name) ? body.name : undefined;
}

export function operationState(operation: Operation, sourceOf: (url: string) => Source): Polled {
  if (operation.done !== true) return { kind: "running", pollAfterMs: POLL_AFTER_MS };
  if (operation.error) return { kind: "failed", failure: operationFailure(operation.error) };
  const answer = operation.response?.generateVideoResponse;
  const urls = (answer?.generatedSamples ?? []).flatMap((sample) => sample.video?.uri ?? []);
  if (urls.length > 0) return { kind: "succeeded", sources: urls.map(sourceOf) };
  const isFiltered = (answer?.raiMediaFilteredCount ?? 0) > 0;
  return { kind: "failed", failure: isFiltered ? contentRejected("either") : UPSTREAM_FAILED };
}
