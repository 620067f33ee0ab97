/** Builds DashScope's requests: the three dialects of its video models, and its image models. */
import { ratioOf, tierOf } from "../shared/frame.ts";
import type { Job } from "../provider.ts";

/** The parameter `dialect`: A for wan2.1 to 2.6, B for wan2.7, C for wan3.0. */
export type Dialect = "A" | "B" | "C";

const RATIOS = ["16:9", "9:16", "1:1", "4:3", "3:4"];

export function dialectOf(job: Job): Dialect | undefined {
  const { dialect } = job.parameters;
  return dialect === "A" || dialect === "B" || dialect === "C" ? dialect : undefined;
}

/** The parameter `image_role` is the role of pictures (default "first_frame"); the others are sent unchanged. */
export function videoRequest(job: Job, dialect: Dialect): object {
  const { dialect: _, image_role: role = "first_frame", ...wire } = job.parameters;
  return {
    model: job.model,
    input: {
      prompt: job.prompt,
      negative_prompt: job.negativePrompt,
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
  };
}

/** Requests one picture: `n` is always sent, because some models make four by default. */
export function imageRequest(job: Job): object {
  return {
    model: job.model,
    input: {
      messages: [
        {
          role: "user",
          content: [{ text: job.prompt }, ...job.imageUrls.map((image) => ({ image }))],
        },
      ],
    },
    parameters: {
      n: 1,
      size: `${job.width}*${job.height}`,
      negative_prompt: job.negativePrompt,
      prompt_extend: job.promptExtend ?? true,
      watermark: false,
      seed: job.seed,
      ...job.parameters,
    },
  };
}

function pictures(job: Job, dialect: Dialect, role: unknown): object {
  if (job.imageUrls.length === 0) return {};
  if (dialect === "A") return { img_url: job.imageUrls[0] };
  return { media: job.imageUrls.map((url) => ({ type: role, url })) };
}

/** A first frame determines the ratio; `size` and `resolution` exclude each other. */
function frame(job: Job, dialect: Dialect, role: unknown): object {
  const isFramed = job.imageUrls.length > 0 && (dialect === "A" || role === "first_frame");
  const resolution = tierOf(job).toUpperCase();
  if (isFramed) return { resolution };
  if (dialect === "A") return { size: `${job.width}*${job.height}` };
  return { resolution, ratio: ratioOf(job, RATIOS) };
}
