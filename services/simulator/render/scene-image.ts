/** A scene as an image file: one moment of it, chosen by its random seed. */
import { createCanvas, type Canvas } from "@napi-rs/canvas";
import { composeScene } from "../scene/scene.ts";
import { FRAMES_PER_SECOND, type Size } from "../scene/sprite.ts";
import type { SceneSpec } from "../scene/spec.ts";
import type { ImageStyle } from "./picture.ts";

const MOMENTS = 30 * FRAMES_PER_SECOND;

export function sceneImage(spec: SceneSpec, size: Size, style: ImageStyle): Uint8Array {
  const scene = composeScene(spec, size);
  const frame = spec.random_seed % MOMENTS;
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext("2d");
  if (!style.isTransparent) context.drawImage(scene.background, 0, 0);
  for (const sprite of style.isTransparent ? scene.near : [...scene.distant, ...scene.near]) {
    const { picture, wraps } = sprite;
    for (const { x, y, opacity } of sprite.positionsAt(frame)) {
      context.globalAlpha = Math.min(1, Math.max(0, opacity));
      context.drawImage(picture, x, y);
      if (wraps) context.drawImage(picture, x + picture.width, y);
    }
  }
  return encoded(canvas, style);
}

/** The canvas in the format of the picture. */
export function encoded(canvas: Canvas, { format }: ImageStyle): Uint8Array {
  if (format === "jpeg") return canvas.encodeSync("jpeg");
  return format === "webp" ? canvas.encodeSync("webp") : canvas.encodeSync("png");
}
