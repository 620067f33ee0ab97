/** The land: layers from the horizon to the viewer, the nearer the darker and the faster. */
import { createCanvas } from "@napi-rs/canvas";
import { drawBuildings, drawGlints, drawTrees } from "./land-features.ts";
import type { Layer } from "./layer.ts";
import { jaggedOutline, rollingOutline, type Outline } from "./outline.ts";
import { css, lighter, mix, type Palette } from "./palette.ts";
import type { Random } from "./random.ts";
import { sliding, type Size, type Sprite } from "./sprite.ts";
import type { Land } from "./theme.ts";

type Shape = {
  readonly layers: number;
  readonly outline: (random: Random, slowest: number) => Outline;
  readonly slowest: number;
  /** Height of the outline as a share of the frame's, far and near. */
  readonly relief: readonly [far: number, near: number];
  /** Up and down movement as a share of the frame's height. */
  readonly bob: number;
  readonly drawFeatures?: (layer: Layer, random: Random) => void;
};

const rolling = { layers: 4, outline: rollingOutline, slowest: 2, relief: [0.14, 0.2] } as const;
const SHAPES: Record<Exclude<Land, "space">, Shape> = {
  hills: { ...rolling, bob: 0 },
  peaks: { ...rolling, outline: jaggedOutline, relief: [0.34, 0.2], bob: 0 },
  city: { ...rolling, layers: 3, relief: [0.03, 0.03], bob: 0, drawFeatures: drawBuildings },
  forest: { ...rolling, relief: [0.12, 0.14], bob: 0, drawFeatures: drawTrees },
  sea: {
    ...rolling,
    layers: 6,
    slowest: 3,
    relief: [0.012, 0.05],
    bob: 0.008,
    drawFeatures: drawGlints,
  },
};

/** The sprites of the land, from back to front. `horizon` is a share of the frame's height. */
export function drawLand(
  land: Exclude<Land, "space">,
  size: Size,
  palette: Palette,
  random: Random,
  horizon: number,
): Sprite[] {
  const shape = SHAPES[land];
  return Array.from({ length: shape.layers }, (_, index) => {
    const nearness = index / (shape.layers - 1);
    const top = size.height * (horizon + (0.94 - horizon) * nearness ** 1.3);
    const relief = size.height * (shape.relief[0] + (shape.relief[1] - shape.relief[0]) * nearness);
    const room = shape.drawFeatures === undefined ? 0 : size.height * (0.2 + 0.06 * nearness);
    const bob = size.height * shape.bob * (0.4 + nearness);
    const start = Math.floor(top - relief - room);
    const canvas = createCanvas(size.width, Math.ceil(size.height - start + bob) + 1);
    const outline = shape.outline(random, shape.slowest);
    const layer: Layer = {
      context: canvas.getContext("2d"),
      width: canvas.width,
      height: canvas.height,
      ground: (position) => room + relief * (1 - outline(position)),
      color: mix(palette.far, palette.near, nearness),
      light: palette.light,
      nearness,
    };
    fillGround(layer);
    shape.drawFeatures?.(layer, random);
    const speed = (size.width / 1280) * (0.34 + 3.4 * nearness ** 1.5);
    return sliding(canvas, start, speed, bob, index * 1.7);
  });
}

function fillGround({ context, width, height, ground, color }: Layer): void {
  const gradient = context.createLinearGradient(0, 0, 0, height);
  gradient.addColorStop(0, css(lighter(color, 10)));
  gradient.addColorStop(0.5, css(color));
  gradient.addColorStop(1, css(lighter(color, -6)));
  context.fillStyle = gradient;
  context.beginPath();
  context.moveTo(0, height);
  for (let x = 0; x <= width; x += 2) context.lineTo(x, ground(x / width));
  context.lineTo(width, ground(1));
  context.lineTo(width, height);
  context.fill();
}
