/** Builds DashScope's requests: the three dialects of its video models, and its image models. */
import { ratioOf, tierOf } from "../shared/frame.ts";
import { fitPrompts } from "../shared/prompt.ts";
import type { Job } from "../provider.ts";

/** The parameter `dialect`: A for wan2.1 to 2.6, B for wan2.7, C for wan3.0. */
export type Dialect = "A" | "B" | "C";

/**
 * In characters; DashScope cuts what is beyond (Model Studio, API references). The least of the models of a dialect.
 * C has no negative prompt.
 */
const MAX_LENGTHS = {
  A: { prompt: 800, negativePrompt: 500 },
  B: { prompt: 5_000, negativePrompt: 500 },
  C: { prompt: 20_000, negativePrompt: 0 },
  image: { prompt: 800, negativePrompt: 500 },
};
const RATIOS = ["16:9", "9:16", "1:1", "4:3", "3:4"];

export function dialectOf(job: Job): Dialect | undefined {
  const { dialect } = job.parameters;
  return dialect === "A" || dialect === "B" || dialect === "C" ? dialect : undefined;
}

/**
 * The parameter `image_role` is the role of pictures (default "first_frame"); the others are sent unchanged. Undefined
 * if the negative prompt is too long.
 */
export function videoRequest(job: Job, dialect: Dialect): object | undefined {
  const { dialect: _, image_role: role = "first_frame", ...wire } = job.parameters;
  const prompts = fitPrompts(job, MAX_LENGTHS[dialect]);
  return (
    prompts && {
      model: job.model,
      input: {
        prompt: prompts.prompt,
        negative_prompt: prompts.negativePrompt,
        ...pictures(job, dialect, role),
      },
      parameters: {
        ...frame(job, dialect, role),
        duration: job.durationSeconds,
        prompt_extend: job.promptExtend ?? true,
        watermark: false,
        seed: job.seed,
        ...wire,
      },
    }
  );
}

/**
 * Requests one picture: `n` is always sent, because some models make four by default. Undefined if the negative prompt
 * is too long.
 */
export function imageRequest(job: Job): object | undefined {
  const prompts = fitPrompts(job, MAX_LENGTHS.image);
  return (
    prompts && {
      model: job.model,
      input: {
        messages: [
          {
            role: "user",
            content: [{ text: prompts.prompt }, ...job.imageUrls.map((image) => ({ image }))],
          },
        ],
      },
      parameters: {
        n: 1,
        size: `${job.width}*${job.height}`,
        negative_prompt: prompts.negativePrompt,
        prompt_extend: job.promptExtend ?? true,
        watermark: false,
        seed: job.seed,
        ...job.parameters,
      },
    }
  );
}

function pictures(job: Job, dialect: Dialect, role: unknown): object {
  if (job.imageUrls.length === 0) return {};
  if (dialect === "A") return { img_url: job.imageUrls[0] };
  return { media: job.imageUrls.map((url) => ({ type: role, url })) };
}

/** A first frame determines the ratio, but not in C; `size` and `resolution` exclude each other. */
function frame(job: Job, dialect: Dialect, role: unknown): object {
  const isFirstFrame = dialect === "A" || (dialect === "B" && role === "first_frame");
  const isFramed = job.imageUrls.length > 0 && isFirstFrame;
  const resolution = tierOf(job).toUpperCase();
  if (isFramed) return { resolution };
  if (dialect === "A") return { size: `${job.width}*${job.height}` };
  return { resolution, ratio: ratioOf(job, RATIOS) };
}
