/** The prompt as a soft caption at the lower edge, wrapped to the width and clipped. */
import { createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { CELL_WIDTH, dotOf, MARGIN_DOTS } from "./caption-lines.ts";
import { GLYPH_HEIGHT, glyphOf } from "./pixel-font.ts";
import { still, type Size, type Sprite } from "./sprite.ts";

const LINE_HEIGHT = GLYPH_HEIGHT + 4;

export function drawCaption(lines: readonly string[], size: Size): Sprite {
  const dot = dotOf(size);
  const height = Math.min(size.height, dot * (lines.length * LINE_HEIGHT + 2 * MARGIN_DOTS));
  const canvas = createCanvas(size.width, height);
  const context = canvas.getContext("2d");
  const scrim = context.createLinearGradient(0, 0, 0, height);
  scrim.addColorStop(0, "rgba(4, 6, 18, 0)");
  scrim.addColorStop(1, "rgba(4, 6, 18, 0.55)");
  context.fillStyle = scrim;
  context.fillRect(0, 0, size.width, height);
  lines.forEach((line, index) => {
    const x = dot * MARGIN_DOTS;
    const y = dot * (MARGIN_DOTS + index * LINE_HEIGHT + 2);
    drawLine(context, line, x + dot * 0.5, y + dot * 0.5, dot, "rgba(0, 0, 10, 0.4)");
    drawLine(context, line, x, y, dot, "rgba(255, 255, 255, 0.88)");
  });
  return still(canvas, 0, size.height - height);
}

function drawLine(
  context: SKRSContext2D,
  line: string,
  x: number,
  y: number,
  dot: number,
  color: string,
): void {
  context.fillStyle = color;
  line.split("").forEach((character, index) => {
    glyphOf(character).forEach((bits, column) => {
      for (let row = 0; row < GLYPH_HEIGHT; row++) {
        if ((bits & (1 << row)) === 0) continue;
        const left = x + dot * (index * CELL_WIDTH + column);
        context.fillRect(left, y + dot * row, dot, dot);
      }
    });
  });
}
