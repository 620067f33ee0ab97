/** A frame under composition: pictures are laid over one another in whole-number arithmetic. */
import type { Position } from "../scene/sprite.ts";
import type { Plane, YuvPicture } from "./yuv-picture.ts";

export type YuvFrame = {
  /** All three planes, one after the other: I420. */
  readonly bytes: Uint8Array;
  readonly planes: readonly [luma: Target, blue: Target, red: Target];
};

type Target = { readonly width: number; readonly height: number; readonly values: Uint8Array };

/** An empty frame; both measures are even. */
export function emptyFrame(width: number, height: number): YuvFrame {
  const bytes = new Uint8Array((width * height * 3) / 2);
  const lumaSize = width * height;
  const half = { width: width / 2, height: height / 2 };
  return {
    bytes,
    planes: [
      { width, height, values: bytes.subarray(0, lumaSize) },
      { ...half, values: bytes.subarray(lumaSize, lumaSize + lumaSize / 4) },
      { ...half, values: bytes.subarray(lumaSize + lumaSize / 4) },
    ],
  };
}

/** Lays `picture` over the frame; a picture that wraps comes in again on the right. */
export function lay(
  frame: YuvFrame,
  picture: YuvPicture,
  position: Position,
  wraps: boolean,
): void {
  const strength = Math.round(Math.min(1, Math.max(0, position.opacity)) * 256);
  if (strength === 0) return;
  const [luma, blue, red] = frame.planes;
  const shifts = wraps ? [0, picture.width] : [0];
  for (const shift of shifts) {
    const x = position.x + shift;
    const halfX = Math.floor(x / 2);
    const halfY = Math.floor(position.y / 2);
    blend(luma, picture.luma, x, position.y, strength);
    blend(blue, picture.blue, halfX, halfY, strength);
    blend(red, picture.red, halfX, halfY, strength);
  }
}

function blend(target: Target, source: Plane, x: number, y: number, strength: number): void {
  const left = Math.max(0, -x);
  const right = Math.min(source.width, target.width - x);
  const bottom = Math.min(source.height, target.height - y);
  for (let row = Math.max(0, -y); row < bottom; row++) {
    const from = row * source.width;
    const shift = (row + y) * target.width + x - from;
    for (const run of source.runs[row] ?? []) {
      const start = from + Math.max(run.start, left);
      const end = from + Math.min(run.end, right);
      if (end <= start) continue;
      if (run.solid && strength === 256) {
        target.values.set(source.values.subarray(start, end), start + shift);
      } else {
        mix(target.values, shift, source, start, end, strength);
      }
    }
  }
}

/** The innermost loop, a million turns a frame: the caller keeps every index within bounds. */
function mix(
  target: Uint8Array,
  shift: number,
  source: Plane,
  start: number,
  end: number,
  strength: number,
): void {
  const { values, opacity } = source;
  for (let index = start; index < end; index++) {
    const alpha = ((opacity[index] as number) * strength) >> 8;
    const below = target[index + shift] as number;
    target[index + shift] = below + ((((values[index] as number) - below) * alpha) >> 8);
  }
}
