/** Particles of light that float over the scene, like fireflies or dust in the sun. */
import type { Palette } from "./palette.ts";
import type { Random } from "./random.ts";
import { drawGlow } from "./sky.ts";
import { FRAMES_PER_SECOND, type Size, type Sprite } from "./sprite.ts";

const COUNT = 26;

export function drawParticles(size: Size, palette: Palette, random: Random): Sprite {
  const unit = Math.min(size.width, size.height);
  const radius = Math.max(2, unit * 0.012);
  const picture = drawGlow(radius, palette.light, 0.9, 0.12);
  const particles = Array.from({ length: COUNT }, () => ({
    x: random.between(0, size.width),
    y: random.between(size.height * 0.35, size.height),
    sway: unit * random.between(0.02, 0.08),
    risePerSecond: unit * random.between(0.01, 0.05),
    pace: random.between(0.4, 1.4),
    phase: random.between(0, Math.PI * 2),
  }));
  const positionsAt = (frame: number) => {
    const seconds = frame / FRAMES_PER_SECOND;
    return particles.map(({ x, y, sway, risePerSecond, pace, phase }) => {
      const angle = phase + seconds * pace;
      const height = y - seconds * risePerSecond;
      return {
        x: Math.round(x + sway * Math.sin(angle) - radius),
        // Those that leave at the top come back at the bottom.
        y: Math.round((((height % size.height) + size.height) % size.height) - radius),
        opacity: 0.45 + 0.4 * Math.sin(angle * 1.9),
      };
    });
  };
  return { picture, wraps: false, positionsAt };
}
