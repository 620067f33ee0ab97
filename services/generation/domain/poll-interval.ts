/** How long to wait between two polls of an upstream job. */
import type { KindName } from "#vocabulary/kind.ts";
import { pauseOf } from "./pause.ts";

const AGE_SHARE = 0.03;
const MAX_BY_AGE_MS = 10_000;
const MAX_FOR_IMAGES_MS = 1_000;
const JITTER = 0.1;

/**
 * The upstream's advice, or 3 % of the job's age (at most 10 s) if that is longer: a late result then adds little to
 * the time that the job took. A client waits for an image, so that it is polled at least every second. ±10 %; `random`
 * is 0 to 1.
 */
export function pollIntervalMs(
  kind: KindName,
  adviceMs: number,
  ageMs: number,
  random: number,
): number {
  const planned =
    kind === "image"
      ? Math.min(adviceMs, MAX_FOR_IMAGES_MS)
      : Math.max(adviceMs, Math.min(ageMs * AGE_SHARE, MAX_BY_AGE_MS));
  return Math.round(planned * (1 - JITTER + 2 * JITTER * random));
}

/** The wait that the upstream asks for, and up to a quarter more: all who were told to wait do not come at once. */
export function postponedMs(askedMs: number, random: number): number {
  return Math.round(pauseOf(askedMs) * (1 + random / 4));
}
