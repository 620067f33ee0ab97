/** What Ark is sent: Seedance tasks and Seedream images. */
import { ratioOf, tierOf } from "../shared/frame.ts";
import { ownSeed } from "../shared/own-seed.ts";
import { promptOf } from "../shared/prompt.ts";
import type { Job } from "../provider.ts";

const RATIOS = ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"];
/** The shortest that is allowed: nobody waits for a task any more by then. */
const EXPIRES_AFTER_SECONDS = 3600;

/**
 * The client's seed, or one of our own that tells this submit's task from all others: tasks repeat
 * their seed when they are asked.
 */
export function seedOf(job: Job): number {
  return job.seed ?? ownSeed(job.token);
}

/** The route's `image_role` says what pictures are (default "first_frame"); its other parameters go as they are. */
export function videoRequest(job: Job): object {
  const { image_role: role = "first_frame", ...wire } = job.parameters;
  const pictures = job.imageUrls.map((url) => ({ type: "image_url", image_url: { url }, role }));
  const isFramed = pictures.length > 0 && role === "first_frame";
  return {
    model: job.model,
    content: [{ type: "text", text: promptOf(job) }, ...pictures],
    resolution: tierOf(job),
    // A fixed ratio beside a first frame is refused by the newer models.
    ratio: isFramed ? "adaptive" : ratioOf(job, RATIOS),
    duration: job.durationSeconds,
    watermark: false,
    execution_expires_after: EXPIRES_AFTER_SECONDS,
    ...wire,
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
    sequential_image_generation: "disabled",
    watermark: false,
    seed: job.seed,
    ...job.parameters,
  };
}
