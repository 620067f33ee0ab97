/** The frames of a video among which its thumbnail is chosen, and their limits. */
import type { InputVideoTrack } from "mediabunny";
import { MediaError } from "./media-error.ts";

/** RGBA, as displayed, of the thumbnail's size. */
export type ScaledFrame = { pixels: Uint8ClampedArray; width: number; height: number };

/** Frames `STEP_SECONDS` apart, of the first `MAX_SEARCH_SECONDS`. Ends whatever it started when it is left. */
export type ScaledFrames = (track: InputVideoTrack) => AsyncIterable<ScaledFrame>;

export const STEP_SECONDS = 0.2;
export const MAX_SEARCH_SECONDS = 6;
/** No frame is decoded that is larger: each takes up to 6 bytes a pixel, and a decoder keeps up to 16 of them. */
export const MAX_FRAME_PIXELS = 4_096 * 4_096;
const WIDTH_PIXELS = 640;
const MAX_HEIGHT_PIXELS = 4 * WIDTH_PIXELS;

export function assertDecodable(width: number, height: number): void {
  if (width * height > MAX_FRAME_PIXELS) {
    throw new MediaError("damaged", `frames of ${width} x ${height} pixels`);
  }
}

export function thumbnailSize(displayWidth: number, displayHeight: number) {
  const height = Math.round((WIDTH_PIXELS * displayHeight) / displayWidth);
  return { width: WIDTH_PIXELS, height: Math.min(MAX_HEIGHT_PIXELS, Math.max(1, height)) };
}
