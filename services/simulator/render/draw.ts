/** Draws a picture on a canvas: a scene, or one flat colour. */
import { createCanvas } from "@napi-rs/canvas";
import { composeScene, type Scene } from "../scene/landscape.ts";
import type { Picture, RenderStyle } from "./picture.ts";
import type { Video } from "./video-file.ts";

const FRAMES_PER_SECOND = 10;
const FIXTURE_FRAMES_PER_SECOND = 2;
/** An image is a scene at one moment of so many seconds, which its random seed chooses. */
const MOMENTS = 30;

export function videoOf(picture: Extract<Picture, { kind: "video" }>, style: RenderStyle): Video {
  const { width, height, durationSeconds } = picture;
  const canvas = createCanvas(width, height);
  const context = canvas.getContext("2d");
  const scene = sceneOf(picture, style);
  const framesPerSecond = style === "draw" ? FRAMES_PER_SECOND : FIXTURE_FRAMES_PER_SECOND;
  scene(context, 0, true);
  const first = canvas.data();
  return {
    width,
    height,
    frameCount: durationSeconds * framesPerSecond,
    framesPerSecond,
    quantizer: style === "draw" ? 21 : 30,
    draw: (frame) => {
      if (frame === 0 || style === "fixture") return first;
      scene(context, frame / framesPerSecond, true);
      return canvas.data();
    },
  };
}

export function imageOf(
  picture: Extract<Picture, { kind: "image" }>,
  style: RenderStyle,
): Uint8Array {
  const canvas = createCanvas(picture.width, picture.height);
  const moment = picture.scene.random_seed % MOMENTS;
  sceneOf(picture, style)(canvas.getContext("2d"), moment, picture.isTransparent !== true);
  return picture.format ? canvas.encodeSync(picture.format) : canvas.encodeSync("png");
}

function sceneOf({ scene, width, height }: Picture, style: RenderStyle): Scene {
  if (style === "draw") return composeScene(scene, { width, height });
  return (context, _seconds, withSky) => {
    context.fillStyle = "#2f8f93";
    if (withSky) context.fillRect(0, 0, width, height);
  };
}
