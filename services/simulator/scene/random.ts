/** Repeatable randomness: the same seed gives the same stream of numbers on every machine. */
import { createHash } from "node:crypto";

export type Random = ReturnType<typeof randomFrom>;

/** A seed that is always the same for one text: 0–2147483647. */
export function seedOf(text: string): number {
  return createHash("sha256").update(text).digest().readInt32BE(0) & 0x7fffffff;
}

export function randomFrom(seed: number) {
  let state = seed;
  // mulberry32: tiny, and made of 32-bit integer steps only, so every machine agrees.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return {
    /** A number in [min, max). */
    between: (min: number, max: number) => min + next() * (max - min),
    /** A whole number in [min, max], both included. */
    whole: (min: number, max: number) => min + Math.floor(next() * (max - min + 1)),
  };
}
