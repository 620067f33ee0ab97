/** How long to leave an upstream in peace between two polls of a job. */

const AGE_SHARE = 0.03;
const LONGEST_BY_AGE_MS = 10_000;
const LONGEST_OF_IMAGES_MS = 1_000;
const JITTER = 0.1;

/**
 * The upstream's advice, and more for a job that has been running for long: finding its end a little later is a
 * small part of its time. A client waits for an image, so that its polls are short. `random` is 0 to 1.
 */
export function pollIntervalMs(
  kind: "video" | "image",
  adviceMs: number,
  ageMs: number,
  random: number,
): number {
  const planned =
    kind === "image"
      ? Math.min(adviceMs, LONGEST_OF_IMAGES_MS)
      : Math.max(adviceMs, Math.min(ageMs * AGE_SHARE, LONGEST_BY_AGE_MS));
  return Math.round(planned * (1 - JITTER + 2 * JITTER * random));
}
