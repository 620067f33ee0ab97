/** Canned pictures of one flat colour, for runs where what they show does not matter. */
import { createCanvas } from "@napi-rs/canvas";
import type { Size } from "../scene/sprite.ts";
import type { ImageStyle } from "./picture.ts";
import { encoded } from "./scene-image.ts";
import type { Video } from "./video-file.ts";

const FRAMES_PER_SECOND = 2;
const QUANTIZER = 30;
const TEAL = { luma: 120, blue: 142, red: 96, css: "#2f8f93" };

export function fixtureVideo(size: Size, durationSeconds: number): Video {
  const pixels = size.width * size.height;
  const frame = new Uint8Array((pixels * 3) / 2).fill(TEAL.luma, 0, pixels);
  frame.fill(TEAL.blue, pixels, (pixels * 5) / 4).fill(TEAL.red, (pixels * 5) / 4);
  return {
    ...size,
    frameCount: durationSeconds * FRAMES_PER_SECOND,
    framesPerSecond: FRAMES_PER_SECOND,
    quantizer: QUANTIZER,
    draw: () => frame,
  };
}

export function fixtureImage(size: Size, style: ImageStyle): Uint8Array {
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext("2d");
  if (!style.isTransparent) {
    context.fillStyle = TEAL.css;
    context.fillRect(0, 0, size.width, size.height);
  }
  return encoded(canvas, style);
}
