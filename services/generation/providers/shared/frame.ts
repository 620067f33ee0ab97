/** Converts a job's picture size to the resolution tiers and aspect ratios of upstreams. */
import type { Job } from "../provider.ts";

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
