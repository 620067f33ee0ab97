/** Builds Ark's requests: Seedance tasks and Seedream images. */
import type { KindName } from "#vocabulary/kind.ts";
import { carried } from "../shared/carried.ts";
import { ratioOf, tierOf } from "../shared/frame.ts";
import { ownSeed } from "../shared/own-seed.ts";
import { promptOf } from "../shared/prompt.ts";
import type { Job } from "../provider.ts";

const RATIOS = ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"];
/** The minimum that Ark allows; every generation is past its deadline by then. */
const EXPIRES_AFTER_SECONDS = 3600;

/**
 * Returns the client's seed, else one that identifies this submit's task: Ark returns the seed with the task. Undefined
 * if the model takes none.
 */
export function seedOf({ seed, parameters, token }: Job): number | undefined {
  return parameters["seed"] === null ? undefined : (seed ?? ownSeed(token));
}

/**
 * Sound and formats are carried to models whose configured parameters have them, because others refuse these names.
 * What is configured of the resolution or the seed is what is sent.
 */
export function arkCarries(kind: KindName, parameters: Job["parameters"]) {
  const { image_role: role = "first_frame" } = parameters;
  return kind === "video"
    ? carried({
        seed: parameters["seed"] !== null,
        resolution: !("resolution" in parameters) && { values: ["480P", "720P", "1080P", "4K"] },
        audio: "generate_audio" in parameters,
        last_image_url: role === "first_frame",
        reference_images: { values: ["subject"] },
        video_url: true,
      })
    : carried({
        seed: parameters["seed"] !== null,
        output_format: "output_format" in parameters && { values: ["png", "jpeg"] },
      });
}

/** The parameter `image_role` is the role of pictures (default "first_frame"); all but it and `seed` are sent unchanged. */
export function videoRequest(job: Job): object {
  const { image_role: role = "first_frame", ...wire } = job.parameters;
  const { lastImageUrl: last, references = [], videoUrl } = job;
  const picture = (url: string, of: unknown) => ({
    type: "image_url",
    image_url: { url },
    role: of,
  });
  const isFramed = job.imageUrls.length > 0 && role === "first_frame";
  return {
    model: job.model,
    content: [
      { type: "text", text: promptOf(job) },
      ...job.imageUrls.map((url) => picture(url, role)),
      ...(last === undefined ? [] : [picture(last, "last_frame")]),
      ...references.map(({ url }) => picture(url, "reference_image")),
      ...(videoUrl === undefined
        ? []
        : [{ type: "video_url", video_url: { url: videoUrl }, role: "reference_video" }]),
    ],
    resolution: tierOf(job),
    // Newer models refuse a fixed ratio together with a first frame.
    ratio: isFramed ? "adaptive" : ratioOf(job, RATIOS),
    duration: job.durationSeconds,
    watermark: false,
    execution_expires_after: EXPIRES_AFTER_SECONDS,
    ...wire,
    ...(job.audio === undefined ? {} : { generate_audio: job.audio }),
    seed: seedOf(job),
    safety_identifier: job.endUser,
    callback_url: job.callbackUrl,
  };
}

export function imageRequest(job: Job): object {
  const [only, ...others] = job.imageUrls;
  return {
    model: job.model,
    prompt: promptOf(job),
    image: others.length > 0 ? job.imageUrls : only,
    size: `${job.width}x${job.height}`,
    response_format: "url",
    watermark: false,
    ...job.parameters,
    ...(job.outputFormat === undefined ? {} : { output_format: job.outputFormat }),
    seed: job.seed === undefined ? undefined : seedOf(job),
  };
}
