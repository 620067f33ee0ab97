/** Draws a scene: a sky, clouds and hills with trees that pass by, and the prompt's words. */
import { createCanvas, type Canvas, type SKRSContext2D } from "@napi-rs/canvas";
import { drawCaption } from "./caption.ts";
import { css, lighter, mix, paletteOf, type Hsl, type Palette } from "./palette.ts";
import { randomFrom, type Random } from "./random.ts";
import type { SceneSpec, Size } from "./spec.ts";

/** A picture as wide as the frame, which comes in again on the right as it leaves on the left. */
type Layer = { readonly picture: Canvas; readonly y: number; readonly pixelsPerSecond: number };

type Disc = readonly [x: number, y: number, radius: number];

/** Draws the scene as it looks at a time; without the sky what is around the land stays transparent. */
export type Scene = (context: SKRSContext2D, seconds: number, withSky: boolean) => void;

const LAND_LAYERS = 4;
const TURN = Math.PI * 2;

/** The same specification and size always give the same scene. */
export function composeScene({ random_seed, hour, caption }: SceneSpec, size: Size): Scene {
  const random = randomFrom(random_seed);
  const palette = paletteOf(hour, random);
  const horizon = random.between(0.54, 0.62);
  const sky = drawSky(size, palette, random, horizon);
  const clouds = drawClouds(size, palette, random);
  const land = Array.from({ length: LAND_LAYERS }, (_, index) =>
    drawLand(size, palette, random, horizon, index / (LAND_LAYERS - 1)),
  );
  const words = createCanvas(size.width, size.height);
  drawCaption(words.getContext("2d"), caption, size);
  return (context, seconds, withSky) => {
    if (withSky) {
      context.drawImage(sky, 0, 0);
      slide(context, clouds, seconds);
    }
    for (const layer of land) slide(context, layer, seconds);
    context.drawImage(words, 0, 0);
  };
}

function slide(context: SKRSContext2D, { picture, y, pixelsPerSecond }: Layer, seconds: number) {
  // Whole pixels: a picture between pixels is blurred, and takes several times as long.
  const x = Math.floor(seconds * pixelsPerSecond) % picture.width;
  context.drawImage(picture, -x, y);
  if (x > 0) context.drawImage(picture, picture.width - x, y);
}

/** The sky's gradient, its stars where it is night, and the sun or the moon. */
function drawSky(size: Size, palette: Palette, random: Random, horizon: number): Canvas {
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext("2d");
  const gradient = context.createLinearGradient(0, 0, 0, size.height * horizon);
  palette.sky.forEach((color, index) => {
    gradient.addColorStop(index / (palette.sky.length - 1), css(color));
  });
  context.fillStyle = gradient;
  context.fillRect(0, 0, size.width, size.height);
  const unit = Math.min(size.width, size.height);
  for (let star = 0; star < (palette.stars ?? 0); star++) {
    context.fillStyle = css([48, 60, 96], random.between(0.2, 0.9));
    const side = Math.max(1, unit * random.between(0.002, 0.005));
    const y = random.between(0, size.height * horizon);
    context.fillRect(random.between(0, size.width), y, side, side);
  }
  const x = size.width * random.between(0.22, 0.78);
  const y = size.height * random.between(0.24, 0.36);
  drawGlow(context, [x, y, unit * random.between(0.32, 0.42)], palette.light, 0.8);
  context.fillStyle = css(palette.light);
  context.beginPath();
  context.arc(x, y, unit * random.between(0.07, 0.1), 0, TURN);
  context.fill();
  return canvas;
}

/** A soft round light. */
function drawGlow(context: SKRSContext2D, [x, y, radius]: Disc, color: Hsl, strength: number) {
  const gradient = context.createRadialGradient(x, y, 0, x, y, radius);
  gradient.addColorStop(0, css(color, strength));
  gradient.addColorStop(0.4, css(color, strength * 0.2));
  gradient.addColorStop(1, css(color, 0));
  context.fillStyle = gradient;
  context.fillRect(x - radius, y - radius, radius * 2, radius * 2);
}

function drawClouds(size: Size, palette: Palette, random: Random): Layer {
  const height = Math.ceil(size.height * 0.5);
  const canvas = createCanvas(size.width, height);
  const context = canvas.getContext("2d");
  // Flattened, as clouds are.
  context.scale(1, 0.45);
  const clouds = random.whole(4, 7);
  for (let cloud = 0; cloud < clouds; cloud++) {
    const centerX = random.between(0, size.width);
    const centerY = height * random.between(0.4, 1.8);
    const width = size.width * random.between(0.08, 0.2);
    for (let puff = 0; puff < 14; puff++) {
      const spread = random.between(-1, 1);
      const radius = width * random.between(0.2, 0.5) * (1 - Math.abs(spread) * 0.6);
      const y = centerY + random.between(-0.2, 0.2) * radius;
      const color = lighter(palette.cloud, random.between(-4, 4));
      onBothSides(size.width, centerX + spread * width, radius, (x) =>
        drawGlow(context, [x, y, radius], color, 0.5),
      );
    }
  }
  return { picture: canvas, y: 0, pixelsPerSecond: size.width / 160 };
}

/** One range of hills with conifers on it; `nearness` is 0 at the horizon and 1 before the viewer. */
function drawLand(
  size: Size,
  palette: Palette,
  random: Random,
  horizon: number,
  nearness: number,
): Layer {
  const top = size.height * (horizon + (0.94 - horizon) * nearness ** 1.3);
  const relief = size.height * (0.2 - 0.04 * nearness);
  const treeHeight = size.height * (0.05 + 0.13 * nearness);
  const start = Math.floor(top - relief - treeHeight);
  const canvas = createCanvas(size.width, size.height - start);
  const { width, height } = canvas;
  const context = canvas.getContext("2d");
  const outline = rollingOutline(random);
  const ground = (position: number): number => treeHeight + relief * (1 - outline(position));
  const color = mix(palette.far, palette.near, nearness);
  const gradient = context.createLinearGradient(0, 0, 0, height);
  gradient.addColorStop(0, css(lighter(color, 10)));
  gradient.addColorStop(0.5, css(color));
  gradient.addColorStop(1, css(lighter(color, -6)));
  context.fillStyle = gradient;
  context.beginPath();
  context.moveTo(0, height);
  for (let x = 0; x <= width + 1; x += 2) context.lineTo(x, ground(x / width));
  context.lineTo(width, height);
  context.fill();
  const trees = Math.round(44 - 24 * nearness);
  for (let tree = 0; tree < trees; tree++) {
    const position = random.between(0, 1);
    const tall = treeHeight * random.between(0.5, 1);
    const foot = ground(position) + tall * 0.06;
    context.fillStyle = css(lighter(color, random.between(-5, 2)));
    onBothSides(width, position * width, tall, (x) => drawConifer(context, x, foot, tall));
  }
  const pixelsPerSecond = (size.width / 160) * (1 + 10 * nearness ** 1.5);
  return { picture: canvas, y: start, pixelsPerSecond };
}

function drawConifer(context: SKRSContext2D, x: number, foot: number, height: number): void {
  for (let tier = 0; tier < 3; tier++) {
    const base = foot - height * 0.24 * tier;
    const reach = height * (0.21 - tier * 0.055);
    context.beginPath();
    context.moveTo(x - reach, base);
    context.lineTo(x, base - height * 0.52);
    context.lineTo(x + reach, base);
    context.fill();
  }
}

/** Draws at x and once more on the other side of the seam, so that a layer's ends meet. */
function onBothSides(width: number, x: number, reach: number, draw: (x: number) => void): void {
  draw(x);
  if (x - reach < 0) draw(x + width);
  if (x + reach > width) draw(x - width);
}

/** Height, from 0 to 1, at a horizontal position from 0 to 1: sine waves of whole frequencies, whose ends meet. */
function rollingOutline(random: Random): (position: number) => number {
  const waves = Array.from({ length: 4 }, (_, index) => ({
    frequency: Math.max(1, 2 * 2 ** index - random.whole(0, index)),
    phase: random.between(0, TURN),
    weight: 0.5 ** (index + 1),
  }));
  return (position) =>
    waves.reduce(
      (height, { frequency, phase, weight }) =>
        height + weight * (0.5 + 0.5 * Math.sin(position * frequency * TURN + phase)),
      0,
    );
}
