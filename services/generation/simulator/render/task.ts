/** What the two sides of a render thread say to one another. */

export type RenderStyle = "draw" | "fixture";

export type Picture = {
  readonly width: number;
  readonly height: number;
  readonly prompt: string;
  readonly seed: number;
  readonly style: RenderStyle;
} & ({ readonly kind: "video"; readonly durationSeconds: number } | { readonly kind: "image" });

export type RenderRequest = {
  readonly picture: Picture;
  /** Where the file goes; it appears there whole or not at all. */
  readonly path: string;
  /** Becomes non-zero when nobody wants the picture any more. */
  readonly abandoned: Int32Array<SharedArrayBuffer>;
};

export type RenderReply = { readonly ok: true } | { readonly ok: false; readonly message: string };
