/** Builds the request that creates a prediction. */
import type { Call } from "../shared/http.ts";
import { modelInput, namedFields, objectAt } from "../shared/model-input.ts";
import { ownSeed } from "../shared/own-seed.ts";
import type { Job } from "../provider.ts";
import type { Mark } from "./find.ts";

const COMMON_NAMES = {
  prompt: "prompt",
  negative_prompt: "negative_prompt",
  aspect_ratio: "aspect_ratio",
};
const NAMES = {
  video: { ...COMMON_NAMES, image: "image", duration: "duration" },
  image: { ...COMMON_NAMES, images: "image_input" },
};

export function replicateCarries(kind: Job["kind"], parameters: Job["parameters"]) {
  return namedFields(kind, parameters, NAMES[kind]);
}

/** Official models are called by name; others by `parameters.version` of the upstream. */
export function createCall(job: Job): Call {
  const version = job.parameters["version"];
  const isByVersion = typeof version === "string";
  return {
    method: "POST",
    path: isByVersion ? "/predictions" : `/models/${job.model}/predictions`,
    json: {
      ...(isByVersion ? { version } : {}),
      input: modelInput({ ...job, ...derivedSeed(job) }, NAMES[job.kind]),
      ...(job.callbackUrl === undefined
        ? {}
        : { webhook: job.callbackUrl, webhook_events_filter: ["completed"] }),
    },
  };
}

/** Returns what identifies the create of this job. */
export function markOf(job: Job): Mark {
  const seedName = seedNameOf(job);
  const { seed } = derivedSeed(job);
  return {
    ...(job.callbackUrl === undefined ? {} : { callbackUrl: job.callbackUrl }),
    ...(seedName === undefined || seed === undefined ? {} : { seedName, seed }),
  };
}

/** Derives a seed for this submit, if the client gave none and `parameters.names` has the model's input for it. */
function derivedSeed(job: Job): { seed?: number } {
  if (job.seed !== undefined || seedNameOf(job) === undefined) return {};
  return { seed: ownSeed(job.token) };
}

function seedNameOf(job: Job): string | undefined {
  const name = objectAt(job.parameters, "names")["seed"];
  return typeof name === "string" ? name : undefined;
}
