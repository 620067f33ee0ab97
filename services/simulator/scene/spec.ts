/** What a scene shows: the little of a prompt that drawing needs. */
import { captionLines } from "./caption-lines.ts";
import type { Hour } from "./palette.ts";
import { randomFrom, seedOf } from "./random.ts";
import type { Size } from "./sprite.ts";
import { themeOf, type Land } from "./theme.ts";

export type SceneSpec = {
  /** Decides everything that is left to chance; follows from the seed and the whole prompt. */
  readonly random_seed: number;
  readonly land: Land;
  readonly hour: Hour;
  /** The lines as they are drawn: wrapped and cut. */
  readonly caption: readonly string[];
};

/** The same prompt, seed and size always give the same one. */
export function sceneSpecOf(prompt: string, seed: number, size: Size): SceneSpec {
  const random_seed = seedOf(`${seed}:${prompt}`);
  const theme = themeOf(prompt, randomFrom(seedOf(`theme of ${random_seed}`)));
  return { random_seed, ...theme, caption: captionLines(prompt, size) };
}
