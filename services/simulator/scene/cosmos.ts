/** Open space instead of land: a nebula and planets that pass by. */
import { createCanvas, type Canvas } from "@napi-rs/canvas";
import { css, lighter, type Hsl } from "./palette.ts";
import type { Random } from "./random.ts";
import { drawGlow } from "./sky.ts";
import { DISTANT_STEP_FRAMES, sliding, type Size, type Sprite } from "./sprite.ts";

/** Sizes and places as shares of the frame; speeds in pixels a frame at 720 lines. */
const PLANETS = [
  { radius: 0.05, x: 0.2, y: 0.22, speed: 0.25 },
  { radius: 0.11, x: 0.72, y: 0.3, speed: 0.5 },
  { radius: 0.24, x: 0.42, y: 0.5, speed: 1 },
] as const;

/** A nebula that drifts slowly. */
export function drawNebula(size: Size, random: Random, hue: number): Sprite {
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext("2d");
  for (let cloud = 0; cloud < 36; cloud++) {
    const radius = size.height * random.between(0.12, 0.4);
    const glow = drawGlow(radius, [hue + random.between(-40, 70), 70, 50], 0.3);
    const x = random.between(0, size.width) - radius;
    const y = size.height * random.between(0.1, 0.9) - radius;
    for (const shift of [-size.width, 0, size.width]) context.drawImage(glow, x + shift, y);
  }
  return sliding(canvas, 0, size.width / 1280 / DISTANT_STEP_FRAMES);
}

/** Planets that pass by, the larger the faster. */
export function drawPlanets(size: Size, random: Random, hue: number): Sprite[] {
  const unit = Math.min(size.width, size.height);
  return PLANETS.map((planet, index): Sprite => {
    const radius = unit * planet.radius * random.between(0.8, 1.2);
    const picture = drawPlanet(radius, [hue + 150 + index * 60, 50, 52], random);
    const startX = Math.round(size.width * (planet.x + random.between(-0.12, 0.12)) - radius);
    const y = Math.round(size.height * (planet.y + random.between(-0.06, 0.06)) - radius);
    const speed = (unit / 720) * planet.speed;
    return {
      picture,
      wraps: false,
      positionsAt: (frame) => [{ x: startX - Math.floor(frame * speed), y, opacity: 1 }],
    };
  });
}

/** A banded disc, lit from the upper left. */
function drawPlanet(radius: number, color: Hsl, random: Random): Canvas {
  const side = Math.max(4, Math.ceil(radius) * 2);
  const canvas = createCanvas(side, side);
  const context = canvas.getContext("2d");
  const center = side / 2;
  context.beginPath();
  context.arc(center, center, center - 1, 0, Math.PI * 2);
  context.clip();
  context.fillStyle = css(color);
  context.fillRect(0, 0, side, side);
  for (let y = 0; y < side;) {
    const band = side * random.between(0.03, 0.14);
    context.fillStyle = css(lighter(color, random.between(-12, 14)), 0.7);
    context.fillRect(0, y, side, band);
    y += band;
  }
  const lit = side * 0.3;
  const shade = context.createRadialGradient(lit, lit, 0, lit, lit, side * 0.85);
  shade.addColorStop(0, "rgba(255, 255, 255, 0.28)");
  shade.addColorStop(0.35, "rgba(0, 0, 0, 0)");
  shade.addColorStop(1, "rgba(2, 2, 14, 0.94)");
  context.fillStyle = shade;
  context.fillRect(0, 0, side, side);
  return canvas;
}
