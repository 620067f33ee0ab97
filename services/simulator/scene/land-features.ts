/** What stands on the land: trees, buildings with lit windows, and light on water. */
import type { Layer } from "./layer.ts";
import { css, lighter } from "./palette.ts";
import type { Random } from "./random.ts";

/** Draws at x and once more on the other side of the seam, so that a tile's ends meet. */
function onBothSides(layer: Layer, x: number, reach: number, draw: (x: number) => void): void {
  draw(x);
  if (x - reach < 0) draw(x + layer.width);
  if (x + reach > layer.width) draw(x - layer.width);
}

/** Conifers, each three triangles high. */
export function drawTrees(layer: Layer, random: Random): void {
  const { context, width, color, nearness, ground } = layer;
  const unit = layer.height * (0.1 + 0.16 * nearness);
  const count = Math.round(46 - 26 * nearness);
  for (let tree = 0; tree < count; tree++) {
    const position = (tree + random.between(-0.4, 0.4) + 1) / count;
    const height = unit * random.between(0.6, 1.25);
    const half = height * random.between(0.17, 0.24);
    const shade = css(lighter(color, random.between(-4, 3)));
    const foot = ground(position % 1) + height * 0.06;
    onBothSides(layer, (position % 1) * width, half, (x) => {
      context.fillStyle = shade;
      for (let tier = 0; tier < 3; tier++) {
        const base = foot - height * 0.24 * tier;
        const reach = half * (1 - tier * 0.26);
        context.beginPath();
        context.moveTo(x - reach, base);
        context.lineTo(x, base - height * (0.52 - tier * 0.01));
        context.lineTo(x + reach, base);
        context.fill();
      }
    });
  }
}

/** Towers with some of their windows lit. */
export function drawBuildings(layer: Layer, random: Random): void {
  const { context, width, height, color, nearness, ground, light } = layer;
  const room = ground(0);
  let left = 0;
  while (left < width) {
    const breadth = Math.min(width * random.between(0.035, 0.075), width - left);
    const rise = room * random.between(0.35, 0.98) * (1 - 0.25 * nearness);
    const top = ground(left / width) - rise;
    context.fillStyle = css(lighter(color, random.between(-3, 4)));
    context.fillRect(left, top, breadth, height - top);
    if (random.between(0, 1) < 0.3) {
      context.fillRect(left + breadth * 0.47, top - rise * 0.14, breadth * 0.06, rise * 0.14);
    }
    lightWindows(layer, random, left, top, breadth, css(lighter(light, -12), 0.85));
    left += breadth + width * random.between(0, 0.006);
  }
}

function lightWindows(
  { context, width, height, nearness }: Layer,
  random: Random,
  left: number,
  top: number,
  breadth: number,
  color: string,
): void {
  const cell = Math.max(3, width * (0.007 + 0.004 * nearness));
  const columns = Math.floor((breadth - cell) / cell);
  const rows = Math.floor((height - top - cell) / (cell * 1.5));
  context.fillStyle = color;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      if (random.between(0, 1) > 0.3) continue;
      const x = left + cell * (column + 0.75);
      const y = top + cell * (row * 1.5 + 0.8);
      context.fillRect(x, y, cell * 0.5, cell * 0.7);
    }
  }
}

/** Short bright strokes along the crests, as light lies on water. */
export function drawGlints(layer: Layer, random: Random): void {
  const { context, width, height, color, nearness, ground, light } = layer;
  const count = Math.round(70 - 30 * nearness);
  for (let glint = 0; glint < count; glint++) {
    const position = random.between(0, 1);
    const length = width * random.between(0.01, 0.05) * (0.5 + nearness);
    const thickness = Math.max(1, height * 0.004 * (0.6 + nearness));
    const depth = random.between(0, 1) ** 2 * height * 0.3;
    const y = ground(position) + thickness * 2 + depth;
    const stroke = random.between(0, 1) < 0.3 ? light : lighter(color, 16);
    const style = css(stroke, random.between(0.2, 0.6));
    onBothSides(layer, position * width, length, (x) => {
      context.fillStyle = style;
      context.beginPath();
      context.ellipse(x, y, length / 2, thickness, 0, 0, Math.PI * 2);
      context.fill();
    });
  }
}
