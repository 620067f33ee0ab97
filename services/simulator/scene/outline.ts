/** Outlines of the land: periodic curves, so that a tile's two ends meet. */
import type { Random } from "./random.ts";

/** Height at a horizontal position (0–1 across the tile), itself from 0 to 1. */
export type Outline = (position: number) => number;

const TURN = Math.PI * 2;

/** Rounded hills: a few sine waves of whole frequencies. */
export function rollingOutline(random: Random, slowest: number): Outline {
  return octaves(random, slowest, 4, 0.5, (angle) => 0.5 + 0.5 * Math.sin(angle));
}

/** Sharp summits: the same with triangles, and rougher. */
export function jaggedOutline(random: Random, slowest: number): Outline {
  return octaves(random, slowest, 6, 0.48, (angle) => {
    const turn = (((angle / TURN) % 1) + 1) % 1;
    return 1 - Math.abs(turn * 2 - 1);
  });
}

function octaves(
  random: Random,
  slowest: number,
  count: number,
  fade: number,
  wave: (angle: number) => number,
): Outline {
  const parts = Array.from({ length: count }, (_, index) => ({
    frequency: Math.max(1, slowest * 2 ** index - random.whole(0, index)),
    phase: random.between(0, TURN),
    weight: fade ** index,
  }));
  const total = parts.reduce((sum, part) => sum + part.weight, 0);
  return (position) => {
    let height = 0;
    for (const { frequency, phase, weight } of parts) {
      height += weight * wave(position * frequency * TURN + phase);
    }
    return height / total;
  };
}
