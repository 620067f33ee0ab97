/** A drawn picture as the encoder wants it: I420 planes, with its opacity beside them. */
import type { Canvas } from "@napi-rs/canvas";

/** Brightness in full, colour in half the resolution each way; opacities from 0 to 256. */
export type YuvPicture = {
  readonly width: number;
  readonly height: number;
  readonly luma: Plane;
  readonly blue: Plane;
  readonly red: Plane;
};

export type Plane = {
  readonly width: number;
  readonly height: number;
  readonly values: Uint8Array;
  readonly opacity: Uint16Array;
  /** The stretches of each row where there is something to see. */
  readonly runs: readonly (readonly Run[])[];
};

/** The pixels from `start` up to but without `end`; solid where it covers what is beneath altogether. */
type Run = { readonly start: number; readonly end: number; readonly solid: boolean };

/** BT.709, limited range: what players assume of a clip that says nothing. */
export function toYuv(canvas: Canvas): YuvPicture {
  const { width, height } = canvas;
  const rgba = canvas.getContext("2d").getImageData(0, 0, width, height).data;
  const luma = new Uint8Array(width * height);
  const lumaOpacity = new Uint16Array(width * height);
  for (let pixel = 0, at = 0; pixel < luma.length; pixel++, at += 4) {
    const alpha = rgba[at + 3] ?? 0;
    if (alpha === 0) continue;
    const [red, green, blue] = [rgba[at] ?? 0, rgba[at + 1] ?? 0, rgba[at + 2] ?? 0];
    luma[pixel] = 16.5 + 0.1826 * red + 0.6142 * green + 0.062 * blue;
    lumaOpacity[pixel] = opacityOf(alpha);
  }
  const chroma = toChroma(rgba, width, height);
  const plane = (
    values: Uint8Array,
    opacity: Uint16Array,
    across: number,
    down: number,
  ): Plane => ({
    width: across,
    height: down,
    values,
    opacity,
    runs: Array.from({ length: down }, (_, row) =>
      runsOf(opacity.subarray(row * across, (row + 1) * across)),
    ),
  });
  return {
    width,
    height,
    luma: plane(luma, lumaOpacity, width, height),
    blue: plane(chroma.blue, chroma.opacity, chroma.width, chroma.height),
    red: plane(chroma.red, chroma.opacity, chroma.width, chroma.height),
  };
}

/** Each 2x2 block's colour, weighted by opacity so that clear pixels do not grey the edges. */
function toChroma(rgba: Uint8ClampedArray, width: number, height: number) {
  const across = Math.ceil(width / 2);
  const down = Math.ceil(height / 2);
  const blue = new Uint8Array(across * down);
  const red = new Uint8Array(across * down);
  const opacity = new Uint16Array(across * down);
  for (let row = 0; row < down; row++) {
    for (let column = 0; column < across; column++) {
      let [r, g, b, a, count] = [0, 0, 0, 0, 0];
      for (let y = row * 2; y < Math.min(height, row * 2 + 2); y++) {
        for (let x = column * 2; x < Math.min(width, column * 2 + 2); x++) {
          const at = (y * width + x) * 4;
          const alpha = rgba[at + 3] ?? 0;
          r += (rgba[at] ?? 0) * alpha;
          g += (rgba[at + 1] ?? 0) * alpha;
          b += (rgba[at + 2] ?? 0) * alpha;
          a += alpha;
          count++;
        }
      }
      const weight = Math.max(1, a);
      const index = row * across + column;
      blue[index] = 128.5 + (-0.1006 * r - 0.3386 * g + 0.4392 * b) / weight;
      red[index] = 128.5 + (0.4392 * r - 0.3989 * g - 0.0403 * b) / weight;
      opacity[index] = opacityOf(a / Math.max(1, count));
    }
  }
  return { width: across, height: down, blue, red, opacity };
}

/** 0–255 to 0–256, so that blending can shift instead of divide. */
function opacityOf(alpha: number): number {
  return Math.round((alpha * 256) / 255);
}

function runsOf(opacity: Uint16Array): Run[] {
  const runs: Run[] = [];
  const kindAt = (at: number): number =>
    Math.min(1, opacity[at] ?? 0) + (opacity[at] === 256 ? 1 : 0);
  for (let start = 0; start < opacity.length;) {
    const kind = kindAt(start);
    let end = start + 1;
    while (end < opacity.length && kindAt(end) === kind) end++;
    if (kind > 0) runs.push({ start, end, solid: kind === 2 });
    start = end;
  }
  return runs;
}
