/** The sky: its gradient and stars, the sun or moon, and clouds that drift. */
import { createCanvas, type Canvas } from "@napi-rs/canvas";
import { css, lighter, type Hsl, type Palette } from "./palette.ts";
import type { Random } from "./random.ts";
import {
  DISTANT_STEP_FRAMES,
  FRAMES_PER_SECOND,
  sliding,
  type Size,
  type Sprite,
} from "./sprite.ts";

export function drawSky(size: Size, palette: Palette, horizon: number): Canvas {
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext("2d");
  const gradient = context.createLinearGradient(0, 0, 0, size.height * horizon);
  palette.sky.forEach((color, index) => {
    gradient.addColorStop(index / (palette.sky.length - 1), css(color));
  });
  context.fillStyle = gradient;
  context.fillRect(0, 0, size.width, size.height);
  return canvas;
}

/** A soft round light; the building block of glows, stars, clouds and particles. */
export function drawGlow(radius: number, color: Hsl, strength: number, core = 0): Canvas {
  const side = Math.max(2, Math.ceil(radius) * 2);
  const canvas = createCanvas(side, side);
  const context = canvas.getContext("2d");
  const center = side / 2;
  const gradient = context.createRadialGradient(center, center, 0, center, center, center);
  gradient.addColorStop(0, css(color, strength));
  if (core > 0) gradient.addColorStop(core, css(color, strength));
  gradient.addColorStop(core + (1 - core) * 0.03, css(color, strength * (core > 0 ? 0.5 : 0.95)));
  gradient.addColorStop(core + (1 - core) * 0.4, css(color, strength * 0.18));
  gradient.addColorStop(1, css(color, 0));
  context.fillStyle = gradient;
  context.fillRect(0, 0, side, side);
  return canvas;
}

/** The sun or the moon, rising slowly. */
export function drawLight(size: Size, palette: Palette, random: Random): Sprite {
  const unit = Math.min(size.width, size.height);
  const radius = unit * random.between(0.32, 0.42);
  const picture = drawGlow(radius, palette.light, 1, random.between(0.2, 0.3));
  const x = Math.round(size.width * random.between(0.22, 0.78) - radius);
  const y = Math.round(size.height * random.between(0.3, 0.42) - radius);
  const risePerFrame = unit / 720 / 6;
  const limit = unit * 0.1;
  return {
    picture,
    wraps: false,
    positionsAt: (frame) => [
      { x, y: y - Math.floor(Math.min(limit, frame * risePerFrame)), opacity: 1 },
    ],
  };
}

/** Stars that twinkle, each in its own rhythm. */
export function drawStars(size: Size, random: Random, count: number, depth: number): Sprite {
  const radius = Math.max(1, Math.min(size.width, size.height) * 0.003);
  const picture = drawGlow(radius * 1.6, [48, 60, 96], 1, 0.25);
  const stars = Array.from({ length: count }, () => ({
    x: Math.round(random.between(0, size.width)),
    y: Math.round(random.between(0, size.height * depth)),
    brightness: random.between(0.25, 0.75),
    pace: random.between(0.8, 3),
    phase: random.between(0, Math.PI * 2),
  }));
  return {
    picture,
    wraps: false,
    positionsAt: (frame) =>
      stars.map(({ x, y, brightness, pace, phase }) => ({
        x,
        y,
        opacity: brightness + 0.25 * Math.sin(phase + (frame / FRAMES_PER_SECOND) * pace),
      })),
  };
}

/** A band of clouds on a tile that comes round again. */
export function drawClouds(size: Size, palette: Palette, random: Random): Sprite {
  const height = Math.ceil(size.height * 0.5);
  const canvas = createCanvas(size.width, height);
  const context = canvas.getContext("2d");
  const clouds = random.whole(4, 7);
  for (let cloud = 0; cloud < clouds; cloud++) {
    const centerX = random.between(0, size.width);
    const centerY = random.between(height * 0.2, height * 0.8);
    const width = size.width * random.between(0.08, 0.2);
    for (let puff = 0; puff < 14; puff++) {
      const spread = random.between(-1, 1);
      const radius = width * random.between(0.2, 0.5) * (1 - Math.abs(spread) * 0.6);
      const glow = drawGlow(radius, lighter(palette.cloud, random.between(-4, 4)), 0.34);
      const x = centerX + spread * width - radius;
      // Flattened, as clouds are; drawn on both sides of the seam.
      const y = centerY - radius * 0.35 + random.between(-0.1, 0.1) * radius;
      for (const shift of [-size.width, 0, size.width]) {
        context.drawImage(glow, x + shift, y, radius * 2, radius * 0.9);
      }
    }
  }
  return sliding(canvas, 0, size.width / 1280 / DISTANT_STEP_FRAMES);
}
