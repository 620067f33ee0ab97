/** A model's own input, for upstreams whose models each name their inputs as they like. */
import { ratioOf } from "./frame.ts";
import type { Job } from "../provider.ts";

const RATIOS = ["1:1", "16:9", "9:16", "4:3", "3:4", "21:9"];

/** What of a job a model's input can be made of. */
export type InputPart =
  | "prompt"
  | "negative_prompt"
  | "image"
  | "images"
  | "duration"
  | "aspect_ratio"
  | "width"
  | "height"
  | "size"
  | "seed"
  | "prompt_extend";

/** The model's name of each part; null or absent: it takes none. */
export type InputNames = Readonly<Partial<Record<InputPart, string | null>>>;

/**
 * The input as the route says. `parameters.input` is sent as it is, `parameters.names` overrides
 * names, and `parameters.duration` says how the model writes 5 seconds: "number" (5), "string"
 * ("5") or "seconds" ("5s").
 */
export function modelInput(job: Job, defaults: InputNames): Record<string, unknown> {
  const names = { ...defaults, ...objectAt(job.parameters, "names") } as InputNames;
  const input: Record<string, unknown> = { ...objectAt(job.parameters, "input") };
  for (const [part, value] of Object.entries(partsOf(job))) {
    const name = names[part as InputPart];
    if (typeof name === "string" && value !== undefined) input[name] = value;
  }
  return input;
}

/** An object among the parameters of a route; empty where there is none. */
export function objectAt(
  parameters: Readonly<Record<string, unknown>>,
  name: string,
): Record<string, unknown> {
  const value = parameters[name];
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function partsOf(job: Job): Record<InputPart, unknown> {
  return {
    prompt: job.prompt,
    negative_prompt: job.negativePrompt,
    image: job.imageUrls[0],
    images: job.imageUrls.length === 0 ? undefined : job.imageUrls,
    duration: durationOf(job),
    aspect_ratio: ratioOf(job, RATIOS),
    width: job.width,
    height: job.height,
    size: { width: job.width, height: job.height },
    seed: job.seed,
    prompt_extend: job.promptExtend,
  };
}

function durationOf({ durationSeconds, parameters }: Job): number | string | undefined {
  if (durationSeconds === undefined) return undefined;
  switch (parameters["duration"]) {
    case "string":
      return `${durationSeconds}`;
    case "seconds":
      return `${durationSeconds}s`;
    default:
      return durationSeconds;
  }
}
