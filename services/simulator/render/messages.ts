/** The messages between the renderer and its threads. */
import type { Picture, RenderStyle } from "./picture.ts";

export type RenderRequest = {
  readonly picture: Picture;
  readonly style: RenderStyle;
  /** The path of the finished file, which appears there whole or not at all. */
  readonly path: string;
  /** Becomes non-zero when the simulator stops. */
  readonly abandoned: Int32Array<SharedArrayBuffer>;
};

export type RenderReply = { readonly ok: true } | { readonly ok: false; readonly message: string };

/** Ends the names of files that are being written, beside the finished ones. */
export const UNFINISHED_ENDING = ".unfinished";
