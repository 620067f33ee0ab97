/** What a render thread is asked for. It answers with a message why there is no file, or with nothing. */
import type { SceneSpec } from "../scene/spec.ts";

/** `fixture` draws one flat colour, for runs where the content of pictures does not matter. */
export type RenderStyle = "draw" | "fixture";

export type Picture = {
  readonly width: number;
  readonly height: number;
  readonly scene: SceneSpec;
} & (
  | { readonly kind: "video"; readonly durationSeconds: number }
  | {
      readonly kind: "image";
      /** Absent: a PNG. */
      readonly format?: "jpeg" | "webp";
      /** Without what fills the background. */
      readonly isTransparent?: true;
    }
);

export type RenderRequest = {
  readonly picture: Picture;
  readonly style: RenderStyle;
  /** The path of the finished file, which appears there whole or not at all. */
  readonly path: string;
  /** Becomes non-zero when the simulator stops. */
  readonly abandoned: Int32Array<SharedArrayBuffer>;
};

/** Ends the names of files that are being written, beside the finished ones. */
export const UNFINISHED_ENDING = ".unfinished";
