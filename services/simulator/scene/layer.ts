/** One layer of the land while it is drawn. */
import type { SKRSContext2D } from "@napi-rs/canvas";
import type { Hsl } from "./palette.ts";

export type Layer = {
  readonly context: SKRSContext2D;
  readonly width: number;
  readonly height: number;
  /** Pixels from the canvas's top to the ground at a position from 0 to 1. */
  readonly ground: (position: number) => number;
  readonly color: Hsl;
  readonly light: Hsl;
  /** 0 at the horizon, 1 before the viewer. */
  readonly nearness: number;
};
