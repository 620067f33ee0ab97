/** The parts that a scene is made of: pictures drawn once, and where each stands in every frame. */
import type { Canvas } from "@napi-rs/canvas";

export const FRAMES_PER_SECOND = 24;

/** Whole pixels from the top left corner; opacity from 0 to 1. */
export type Position = { readonly x: number; readonly y: number; readonly opacity: number };

export type Sprite = {
  readonly picture: Canvas;
  /** A tile as wide as the frame, which comes in again on one side as it leaves on the other. */
  readonly wraps: boolean;
  positionsAt(frame: number): readonly Position[];
};

/** The layers from back to front: the background, `distant` and `near`. */
export type Scene = {
  readonly background: Canvas;
  /** Moves so slowly that it need be drawn anew only every DISTANT_STEP_FRAMES. */
  readonly distant: readonly Sprite[];
  readonly near: readonly Sprite[];
};

export const DISTANT_STEP_FRAMES = 3;

export type Size = { readonly width: number; readonly height: number };

/** A sprite that never moves. */
export function still(picture: Canvas, x: number, y: number): Sprite {
  const position = [{ x: Math.round(x), y: Math.round(y), opacity: 1 }];
  return { picture, wraps: false, positionsAt: () => position };
}

/** A tile that slides to the left by `speed` pixels a frame, `bob` pixels up and down. */
export function sliding(picture: Canvas, y: number, speed: number, bob = 0, phase = 0): Sprite {
  // Whole pixels a frame move evenly; parts of a pixel would stutter.
  const step = speed >= 1 ? Math.round(speed) : speed;
  return {
    picture,
    wraps: true,
    positionsAt: (frame) => [
      {
        x: -(Math.floor(frame * step) % picture.width),
        y: Math.round(y + bob * Math.sin(phase + (frame / FRAMES_PER_SECOND) * 1.6)),
        opacity: 1,
      },
    ],
  };
}
