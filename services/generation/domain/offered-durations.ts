/** The durations of videos that a model offers. */
import type { Durations } from "#gen/proto/media/generation/v1/generation_pb.ts";

/** Whether `seconds` is one of the offered durations: `min`, `min + step` and so on, up to `max`. */
export function isOffered(
  seconds: number,
  { min, max, step }: Pick<Durations, "min" | "max" | "step">,
): boolean {
  return seconds >= min && seconds <= max && step >= 1 && (seconds - min) % step === 0;
}
