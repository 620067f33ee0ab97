/** What a render thread is asked to draw. */
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

/** How a picture of the kind `image` is drawn and written. */
export type ImageStyle = Pick<Extract<Picture, { kind: "image" }>, "format" | "isTransparent">;
