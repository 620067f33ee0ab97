/** Builds DashScope's requests: the three dialects of its video models, and its image models. */
import type { KindName } from "#vocabulary/kind.ts";
import { carried } from "../shared/carried.ts";
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

/**
 * Sound is carried to models whose configured parameters have it, because others refuse the name. What is configured of
 * the resolution or the seed is what is sent.
 */
export function dashscopeCarries(kind: KindName, parameters: Job["parameters"]) {
  if (kind === "image") {
    return carried({
      prompt_extend: !("prompt_extend" in parameters),
      seed: !("seed" in parameters),
      n: !("n" in parameters) && { max: 4 },
      // All models answer with PNG files.
      output_format: { values: ["png"] },
    });
  }
  const { image_role: role = "first_frame" } = parameters;
  const dialect = dialectOf({ parameters });
  const resolutions = dialect === "B" ? ["720P", "1080P"] : ["480P", "720P", "1080P"];
  const isFixed = "resolution" in parameters || "size" in parameters;
  return carried({
    seed: !("seed" in parameters),
    resolution: !isFixed && { values: resolutions },
    audio: "audio" in parameters,
    last_image_url: dialect !== "A" && role === "first_frame",
    reference_images: dialect !== "A" && { values: ["subject"] },
    video_url: dialect !== "A",
  });
}

export function dialectOf(job: Pick<Job, "parameters">): Dialect | undefined {
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
        ...(job.audio === undefined ? {} : { audio: job.audio }),
      },
    }
  );
}

/** `n` is always sent, because some models make four by default. Undefined if the negative prompt is too long. */
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
        n: job.count ?? 1,
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
  const { imageUrls, lastImageUrl, references = [], videoUrl } = job;
  if (dialect === "A") return imageUrls.length === 0 ? {} : { img_url: imageUrls[0] };
  const media = [
    ...imageUrls.map((url) => ({ type: role, url })),
    ...(lastImageUrl === undefined ? [] : [{ type: "last_frame", url: lastImageUrl }]),
    ...references.map(({ url }) => ({ type: "reference_image", url })),
    ...(videoUrl === undefined ? [] : [{ type: "first_clip", url: videoUrl }]),
  ];
  return media.length === 0 ? {} : { media };
}

/** A first frame or clip determines the ratio, but not in C; `size` and `resolution` exclude each other. */
function frame(job: Job, dialect: Dialect, role: unknown): object {
  const isFirstFrame = dialect === "A" || (dialect === "B" && role === "first_frame");
  const isFramed =
    (job.imageUrls.length > 0 && isFirstFrame) || (dialect === "B" && job.videoUrl !== undefined);
  const resolution = tierOf(job).toUpperCase();
  if (isFramed) return { resolution };
  if (dialect === "A") return { size: `${job.width}*${job.height}` };
  return { resolution, ratio: ratioOf(job, RATIOS) };
}
