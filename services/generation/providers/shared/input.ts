/** Builds a model's input, for upstreams where each model has its own names of inputs. */
import { createHash } from "node:crypto";
import type { KindName } from "#vocabulary/names.ts";
import { PARAMETERS, type Taken, type TakenFields } from "../../domain/parameters.ts";
import type { Job } from "../provider.ts";

const RATIOS = ["1:1", "16:9", "9:16", "4:3", "3:4", "21:9"];

type InputPart = keyof ReturnType<typeof partsOf>;

/** The model's name of each part; null or absent: the model does not take it. */
type InputNames = Readonly<Partial<Record<InputPart, string | null>>>;

/**
 * Builds the input as the upstream's parameters say. `parameters.input` is sent unchanged, `parameters.names` overrides
 * names, and `parameters.duration` says how the model writes 5 seconds: "number" (5), "string"
 * ("5") or "seconds" ("5s").
 */
export function modelInput(job: Job, defaults: InputNames): Record<string, unknown> {
  const names = { ...defaults, ...objectAt(job.parameters, "names") } as InputNames;
  const input: Record<string, unknown> = { ...objectAt(job.parameters, "input") };
  const takesNegative = typeof names.negative_prompt === "string";
  const prompt = takesNegative ? job.prompt : promptOf(job);
  for (const [part, value] of Object.entries({ ...partsOf(job), prompt })) {
    const name = names[part as InputPart];
    if (typeof name === "string" && value !== undefined) input[name] = value;
  }
  return input;
}

/** The parts that optional fields of a request are, where they have another name. */
const PARTS: Partial<Record<string, InputPart>> = {
  last_image_url: "last_image",
  reference_images: "references",
  video_url: "video",
  n: "count",
  mask_url: "mask",
};

export function namedFields(
  kind: KindName,
  parameters: Job["parameters"],
  defaults: InputNames,
): TakenFields {
  const names: Record<string, unknown> = { ...defaults, ...objectAt(parameters, "names") };
  const isNamed = (field: string) => typeof names[PARTS[field] ?? field] === "string";
  const taken = (field: string) => (field === "reference_images" ? { values: ["subject"] } : {});
  const fields = PARAMETERS[kind].filter(isNamed);
  return Object.fromEntries(fields.map((field) => [field, taken(field)]));
}

/** Returns an object of an upstream's parameters; empty if there is none. */
export function objectAt(
  parameters: Readonly<Record<string, unknown>>,
  name: string,
): Record<string, unknown> {
  const value = parameters[name];
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function partsOf(job: Job) {
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
    resolution: tierOf(job),
    seed: job.seed,
    prompt_extend: job.promptExtend,
    audio: job.audio,
    last_image: job.lastImageUrl,
    references: job.references?.map(({ url }) => url),
    video: job.videoUrl,
    count: job.count,
    mask: job.maskUrl,
    background: job.background,
    output_format: job.outputFormat,
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

type Frame = Pick<Job, "width" | "height" | "aspectRatio">;

const TIERS = [
  { name: "480p", pixels: 832 * 480 * 1.5 },
  { name: "720p", pixels: 1280 * 720 * 1.5 },
  { name: "1080p", pixels: 1920 * 1080 * 2 },
] as const;

/** Returns the nearest of the usual tiers. */
export function tierOf({ width, height }: Frame): "480p" | "720p" | "1080p" | "4k" {
  return TIERS.find(({ pixels }) => width * height < pixels)?.name ?? "4k";
}

/** Returns the client's ratio, else the one of `choices` that is nearest to the size. */
export function ratioOf(frame: Frame, choices: readonly string[]): string | undefined {
  if (frame.aspectRatio !== undefined) return frame.aspectRatio;
  const distance = (ratio: string) => {
    const [across = 1, down = 1] = ratio.split(":").map(Number);
    return Math.abs(Math.log((across / down) * (frame.height / frame.width)));
  };
  return choices.toSorted((a, b) => distance(a) - distance(b))[0];
}

type Prompts = Pick<Job, "prompt" | "negativePrompt">;

/** Adds the negative prompt to the prompt, for upstreams without a field for it. */
export function promptOf({ prompt, negativePrompt }: Prompts): string {
  return negativePrompt === undefined ? prompt : `${prompt}\n\nAvoid: ${negativePrompt}`;
}

/**
 * For upstreams that cut what is too long: a negative prompt that does not fit its field goes into the prompt. Undefined
 * if it does not fit there either. Counts UTF-16 code units, which are never fewer than characters.
 */
export function fitPrompts(
  { prompt, negativePrompt }: Prompts,
  max: { prompt: number; negativePrompt: number },
): Prompts | undefined {
  if (negativePrompt === undefined) return { prompt };
  if (negativePrompt.length <= max.negativePrompt) return { prompt, negativePrompt };
  const whole = promptOf({ prompt, negativePrompt });
  return whole.length <= max.prompt ? { prompt: whole } : undefined;
}

/** `true`: with all its values; `false`: not at all. */
export function carried(fields: Readonly<Record<string, Taken | boolean>>): TakenFields {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, taken]) =>
      taken === false ? [] : [[field, taken === true ? {} : taken]],
    ),
  );
}

const MAX_SEED = 0x7fffffff;

/** Equal tokens give equal seeds; different tokens give different seeds with high probability. */
export function ownSeed(token: string): number {
  return createHash("sha256").update(token).digest().readUInt32BE(0) & MAX_SEED;
}
