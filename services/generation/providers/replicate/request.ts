/** What is sent to Replicate to create a prediction. */
import type { Call } from "../shared/http.ts";
import { modelInput, objectAt } from "../shared/model-input.ts";
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

/** Models of Replicate's own list go by their name; others by `parameters.version` of the route. */
export function createCall(job: Job): Call {
  const version = job.parameters["version"];
  const isByVersion = typeof version === "string";
  return {
    method: "POST",
    path: isByVersion ? "/predictions" : `/models/${job.model}/predictions`,
    json: {
      ...(isByVersion ? { version } : {}),
      input: modelInput({ ...job, ...drawnSeed(job) }, NAMES[job.kind]),
      ...(job.callbackUrl === undefined
        ? {}
        : { webhook: job.callbackUrl, webhook_events_filter: ["completed"] }),
    },
  };
}

/** By what the create of this job is known again. */
export function markOf(job: Job): Mark {
  const seedName = seedNameOf(job);
  const { seed } = drawnSeed(job);
  return {
    ...(job.callbackUrl === undefined ? {} : { callbackUrl: job.callbackUrl }),
    ...(seedName === undefined || seed === undefined ? {} : { seedName, seed }),
  };
}

/** A client who asks for no seed gets one that is of this submit alone, where the route names the model's input for it. */
function drawnSeed(job: Job): { seed?: number } {
  if (job.seed !== undefined || seedNameOf(job) === undefined) return {};
  return { seed: ownSeed(job.token) };
}

function seedNameOf(job: Job): string | undefined {
  const name = objectAt(job.parameters, "names")["seed"];
  return typeof name === "string" ? name : undefined;
}
