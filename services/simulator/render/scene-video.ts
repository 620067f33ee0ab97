/** A scene as a clip: lays its parts over one another, frame by frame. */
import { composeScene } from "../scene/scene.ts";
import type { SceneSpec } from "../scene/spec.ts";
import { DISTANT_STEP_FRAMES, FRAMES_PER_SECOND, type Size, type Sprite } from "../scene/sprite.ts";
import type { Video } from "./video-file.ts";
import { emptyFrame, lay, type YuvFrame } from "./yuv-frame.ts";
import { toYuv, type YuvPicture } from "./yuv-picture.ts";

const QUANTIZER = 21;
const CORNER = { x: 0, y: 0, opacity: 1 };

type Part = { readonly sprite: Sprite; readonly picture: YuvPicture };

export function sceneVideo(spec: SceneSpec, size: Size, durationSeconds: number): Video {
  const scene = composeScene(spec, size);
  const background = toYuv(scene.background);
  const distant = scene.distant.map(toPart);
  const near = scene.near.map(toPart);
  const backdrop = emptyFrame(size.width, size.height);
  const canvas = emptyFrame(size.width, size.height);
  return {
    ...size,
    frameCount: durationSeconds * FRAMES_PER_SECOND,
    framesPerSecond: FRAMES_PER_SECOND,
    quantizer: QUANTIZER,
    draw: (frame) => {
      if (frame % DISTANT_STEP_FRAMES === 0) {
        lay(backdrop, background, CORNER, false);
        layAll(backdrop, distant, frame);
      }
      canvas.bytes.set(backdrop.bytes);
      layAll(canvas, near, frame);
      return canvas.bytes;
    },
  };
}

function toPart(sprite: Sprite): Part {
  return { sprite, picture: toYuv(sprite.picture) };
}

function layAll(canvas: YuvFrame, parts: readonly Part[], frame: number): void {
  for (const { sprite, picture } of parts) {
    for (const position of sprite.positionsAt(frame)) lay(canvas, picture, position, sprite.wraps);
  }
}
